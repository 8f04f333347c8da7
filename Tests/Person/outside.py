# SPDX-License-Identifier: Apache-2.0
"""A site that no sign-in needs, on another port of the same address as the broker's pages."""
import http.server
import threading

# A page that reads a file that is dropped on it.
PLAIN = """<!doctype html><title>Outside</title><body style="height:90vh"><script>
document.ondragover = (event) => event.preventDefault();
document.ondrop = (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (!file) return (document.title = "Dropped nothing");
    file.text().then(() => "Read", () => "Unreadable").then((word) => (document.title = word));
};
</script>"""

# A link that covers the page.
LINK = "<a href='{0}' autofocus style='display:block;height:90vh'>{0}</a>"

# What a page can ask for. Each is the only element of a page and has the keyboard: it answers to the space bar.
ELEMENTS = {
    "area": "<textarea autofocus>text</textarea>",
    "color": "<input type=color autofocus>",
    "date": "<input type=date autofocus>",
    "directory": "<input type=file webkitdirectory autofocus>",
    "file": "<input type=file autofocus>",
    "files": "<input type=file multiple accept='image/*' capture autofocus>",
    "frame": "<iframe src='file:///etc/'></iframe><iframe src='chrome://version'></iframe>"
             "<iframe src='about:config'></iframe><iframe src='mailto:a@example.org'></iframe>",
    "image": "<img tabindex=0 autofocus width=300 height=300 alt=image src='data:image/svg+xml,"
             "<svg xmlns=%22http://www.w3.org/2000/svg%22 width=%229%22 height=%229%22/>'>",
    "link": LINK.format("/"),
    "link-about": LINK.format("about:config"),
    "link-chrome": LINK.format("chrome://settings"),
    "link-file": LINK.format("file:///etc/passwd"),
    "mail": "<a href='mailto:a@example.org' autofocus onkeyup='this.click()'>mail</a>",
    "pdf": "<embed type='application/pdf' src='/document.pdf' width=600 height=600>",
    "phone": "<a href='tel:+15550100' autofocus onkeyup='this.click()'>phone</a>",
    "select": "<select autofocus><option>one<option>two</select>",
    "text": "<input autofocus value=text>",
    "video": "<video tabindex=0 autofocus controls width=300 height=300></video>",
}
BUTTONS = {
    "bluetooth": "navigator.bluetooth.requestDevice({acceptAllDevices: true})",
    "camera": "navigator.mediaDevices.getUserMedia({video: true, audio: true})",
    "copy": "navigator.clipboard.read()",
    "directory-picker": "showDirectoryPicker({mode: 'readwrite'})",
    "download": "location = '/download'",
    "full-screen": "document.documentElement.requestFullscreen({keyboardLock: 'browser'})",
    "handler": "navigator.registerProtocolHandler('mailto', '/?%s')",
    "hid": "navigator.hid.requestDevice({filters: []})",
    "internal": "open('chrome://version'); open('about:config'); open('devtools://devtools/bundled/inspector.html')",
    "local-file": "open('file:///etc/'); location = 'file:///etc/passwd'",
    "midi": "navigator.requestMIDIAccess({sysex: true})",
    "notify": "Notification.requestPermission().then(() => new Notification('Outside'))",
    "open": "open('/', '_blank')",
    "open-picker": "showOpenFilePicker()",
    "payment": "new PaymentRequest([{supportedMethods: location.origin}], "
               "{total: {label: 'a', amount: {currency: 'EUR', value: '1'}}}).show()",
    "popup": "open('/', 'popup', 'width=300,height=300,left=900')",
    "print": "print()",
    "save": "Object.assign(document.createElement('a'), {href: '/', download: 'outside.html'}).click()",
    "save-picker": "showSaveFilePicker()",
    "screen": "navigator.mediaDevices.getDisplayMedia()",
    "serial": "navigator.serial.requestPort()",
    "share": "navigator.share({url: location.href})",
    "usb": "navigator.usb.requestDevice({filters: []})",
}


def page(name):
    """A page with one element or, as `all`, with every element and button."""
    if name == "all":
        return PLAIN + "".join(map(element, sorted(ELEMENTS | BUTTONS))).replace("autofocus", "")
    return PLAIN + element(name) if name in ELEMENTS or name in BUTTONS else PLAIN


def element(name):
    return ELEMENTS.get(name) or f'<button autofocus onclick="{BUTTONS[name]}">{name}</button>'


class Outside(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = page(self.path.strip("/")).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        if self.path == "/download":
            self.send_header("Content-Disposition", f"attachment; filename={download(self.server.server_port)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def download(port):
    """The name of the download's file, which no other run has."""
    return f"outside-{port}.bin"


def serve():
    """Serves the site, and returns its port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Outside)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port
