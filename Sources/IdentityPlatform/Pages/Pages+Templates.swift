// SPDX-License-Identifier: Apache-2.0

extension Pages {
    static let signInBody = """
        <title>Sign in</title></head><body><main>
        <h1>Sign in</h1>
        <p>{{{tenant}}}, to continue to {{{client}}}</p>
        {{#alert}}<div role="alert">{{{.}}}</div>{{/alert}}
        <form method="post" action="{{{action}}}">
        <input type="hidden" name="csrf" value="{{{csrf}}}">
        <input type="hidden" name="request" value="{{{request}}}">
        <label for="username">User name</label>
        <input id="username" name="username" type="text" inputmode="email" autocomplete="username" \
        autocapitalize="none" spellcheck="false" required maxlength="256" value="{{{username}}}"\
        {{^named}} autofocus{{/named}}>
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required \
        maxlength="256"{{#named}} autofocus{{/named}}>
        <button type="submit">Sign in</button>
        </form>
        </main></body>
        """

    static let messageBody = """
        <title>{{{title}}}</title></head><body><main>
        <h1>{{{title}}}</h1>
        {{#isAlert}}<div role="alert">{{{text}}}</div>{{/isAlert}}{{^isAlert}}<p>{{{text}}}</p>{{/isAlert}}
        </main></body>
        """

    static let redirectBody = """
        <title>Signed in</title></head><body><main>
        <h1>One moment</h1>
        <p><a href="{{{target}}}">Continue</a></p>
        </main></body>
        """

    static let formPostBody = """
        <title>One moment</title></head><body><main>
        <h1>One moment</h1>
        <form method="post" action="{{{target}}}">
        {{#fields}}<input type="hidden" name="{{{name}}}" value="{{{value}}}">{{/fields}}
        <button type="submit">Continue</button>
        </form>
        </main><script>{{{script}}}</script></body>
        """

    static let signOutBody = """
        <title>Sign out</title></head><body><main>
        <h1>Sign out?</h1>
        <p>{{{username}}} will be signed out of every app that was used with this sign-in.</p>
        <form method="post" action="{{{target}}}">
        {{#fields}}<input type="hidden" name="{{{name}}}" value="{{{value}}}">{{/fields}}
        <button type="submit" autofocus>Sign out</button>
        </form>
        </main></body>
        """
}
