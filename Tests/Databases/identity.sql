-- A database as it was before names were retired: its schema and some rows, without keys and secrets.
CREATE TABLE IF NOT EXISTS migration (
    id TEXT NOT NULL PRIMARY KEY, position BIGINT NOT NULL UNIQUE, checksum TEXT NOT NULL);
CREATE TABLE tenant (
    id TEXT NOT NULL PRIMARY KEY, displayName TEXT NOT NULL, domain TEXT NOT NULL UNIQUE,
    pairwiseSalt BLOB NOT NULL, created BIGINT NOT NULL);
CREATE TABLE person (
    tenant TEXT NOT NULL REFERENCES tenant (id), id TEXT NOT NULL, loginName TEXT NOT NULL,
    userPrincipalName TEXT NOT NULL, displayName TEXT NOT NULL, givenName TEXT, surname TEXT,
    mail TEXT, jobTitle TEXT, mobilePhone TEXT, accountEnabled BIGINT NOT NULL,
    passwordHash TEXT NOT NULL, created BIGINT NOT NULL,
    PRIMARY KEY (tenant, id), UNIQUE (tenant, loginName));
CREATE TABLE roleMember (
    tenant TEXT NOT NULL, role TEXT NOT NULL, person TEXT NOT NULL,
    PRIMARY KEY (tenant, role, person),
    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE);
CREATE INDEX roleMemberByPerson ON roleMember (tenant, person);
CREATE TABLE client (
    tenant TEXT NOT NULL REFERENCES tenant (id), id TEXT NOT NULL, displayName TEXT NOT NULL,
    isBroker BIGINT NOT NULL, created BIGINT NOT NULL, isConfidential BIGINT NOT NULL DEFAULT 0, tokenAlgorithm TEXT NOT NULL DEFAULT 'RS256', accountEnabled BIGINT NOT NULL DEFAULT 1, PRIMARY KEY (tenant, id));
CREATE TABLE clientRedirect (
    tenant TEXT NOT NULL, client TEXT NOT NULL, uri TEXT NOT NULL,
    PRIMARY KEY (tenant, client, uri),
    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE);
CREATE TABLE clientResource (
    tenant TEXT NOT NULL, client TEXT NOT NULL, resource TEXT NOT NULL,
    PRIMARY KEY (tenant, client, resource),
    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE);
CREATE TABLE signingKey (
    tenant TEXT NOT NULL REFERENCES tenant (id), id TEXT NOT NULL, algorithm TEXT NOT NULL,
    sealedPrivateKey BLOB NOT NULL, created BIGINT NOT NULL, signs BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (tenant, id));
CREATE TABLE storageCheck (name TEXT NOT NULL PRIMARY KEY, sealed BLOB NOT NULL);
CREATE TABLE session (
    tenant TEXT NOT NULL, id TEXT NOT NULL, person TEXT NOT NULL, device TEXT,
    sharedDevice BIGINT NOT NULL DEFAULT 0, epochCounter BIGINT, methods TEXT NOT NULL,
    begun BIGINT NOT NULL, ended BIGINT, browser BLOB, fromDeviceCode BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE);
CREATE INDEX sessionByPerson ON session (tenant, person);
CREATE INDEX sessionByDevice ON session (tenant, device);
CREATE INDEX sessionByBegin ON session (tenant, begun);
CREATE TABLE browserSession (
    tenant TEXT NOT NULL, hash BLOB NOT NULL, session TEXT NOT NULL, expires BIGINT NOT NULL,
    PRIMARY KEY (tenant, hash),
    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE);
CREATE INDEX browserSessionBySession ON browserSession (tenant, session);
CREATE INDEX browserSessionByEnd ON browserSession (tenant, expires);
CREATE TABLE authorizationCode (
    tenant TEXT NOT NULL, hash BLOB NOT NULL, session TEXT NOT NULL, client TEXT NOT NULL,
    redirectURI TEXT NOT NULL, scope TEXT NOT NULL, challenge TEXT NOT NULL, nonce TEXT,
    family TEXT NOT NULL, beganSession BIGINT NOT NULL, expires BIGINT NOT NULL, redeemed BIGINT,
    PRIMARY KEY (tenant, hash),
    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE);
CREATE INDEX authorizationCodeBySession ON authorizationCode (tenant, session);
CREATE INDEX authorizationCodeByEnd ON authorizationCode (tenant, expires);
CREATE TABLE refreshToken (
    tenant TEXT NOT NULL, hash BLOB NOT NULL, family TEXT NOT NULL, session TEXT NOT NULL,
    client TEXT NOT NULL, scope TEXT NOT NULL, ofPrimary BIGINT NOT NULL, issued BIGINT NOT NULL,
    expires BIGINT NOT NULL, generation BIGINT NOT NULL DEFAULT 0, used BIGINT, revoked BIGINT,
    PRIMARY KEY (tenant, hash),
    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE);
CREATE INDEX refreshTokenBySession ON refreshToken (tenant, session);
CREATE INDEX refreshTokenByEnd ON refreshToken (tenant, expires);
CREATE TABLE audit (
    tenant TEXT NOT NULL REFERENCES tenant (id), position BIGINT NOT NULL, time BIGINT NOT NULL,
    actor TEXT NOT NULL, action TEXT NOT NULL, subject TEXT, outcome TEXT NOT NULL,
    repetitions BIGINT NOT NULL, door TEXT, correlation TEXT, PRIMARY KEY (tenant, position));
CREATE INDEX auditByActor ON audit (tenant, actor, time);
CREATE TABLE deviceAuthority (
    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id), certificate BLOB NOT NULL,
    sealedPrivateKey BLOB NOT NULL, created BIGINT NOT NULL);
CREATE TABLE device (
    tenant TEXT NOT NULL REFERENCES tenant (id), id TEXT NOT NULL, objectID TEXT NOT NULL,
    displayName TEXT NOT NULL, operatingSystem TEXT NOT NULL, operatingSystemVersion TEXT NOT NULL,
    trustType TEXT NOT NULL, profileType TEXT NOT NULL, accountEnabled BIGINT NOT NULL,
    isManaged BIGINT NOT NULL, certificateHash BLOB NOT NULL, certificateExpires BIGINT NOT NULL,
    deviceKey BLOB NOT NULL, transportKey BLOB NOT NULL, registered BIGINT NOT NULL,
    registeredOwner TEXT, epochID TEXT, epochCounter BIGINT, epochClosed BIGINT NOT NULL DEFAULT 0, managedAs TEXT,
    PRIMARY KEY (tenant, id), UNIQUE (tenant, objectID), UNIQUE (tenant, certificateHash),
    FOREIGN KEY (tenant, registeredOwner) REFERENCES person (tenant, id) ON DELETE CASCADE);
CREATE INDEX deviceByOwner ON device (tenant, registeredOwner);
CREATE TABLE primaryRefreshToken (
    tenant TEXT NOT NULL, hash BLOB NOT NULL, session TEXT NOT NULL, device TEXT NOT NULL,
    client TEXT NOT NULL, sealedSessionKey BLOB NOT NULL, proofFamily TEXT, expires BIGINT NOT NULL, family TEXT, renewed BIGINT, confirmed BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant, hash),
    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, device) REFERENCES device (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE);
CREATE INDEX primaryRefreshTokenBySession ON primaryRefreshToken (tenant, session);
CREATE INDEX primaryRefreshTokenByProof ON primaryRefreshToken (tenant, proofFamily);
CREATE INDEX primaryRefreshTokenByEnd ON primaryRefreshToken (tenant, expires);
CREATE TABLE signInThrottle (
    tenant TEXT NOT NULL REFERENCES tenant (id), kind TEXT NOT NULL, hash BLOB NOT NULL,
    drained BIGINT NOT NULL, expires BIGINT NOT NULL, nameHash BLOB, PRIMARY KEY (tenant, kind, hash));
CREATE INDEX signInThrottleByEnd ON signInThrottle (tenant, expires);
CREATE INDEX signInThrottleByName ON signInThrottle (tenant, nameHash);
CREATE TABLE clientPermission (
    tenant TEXT NOT NULL, client TEXT NOT NULL, permission TEXT NOT NULL,
    PRIMARY KEY (tenant, client, permission),
    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE);
CREATE TABLE clientSecret (
    tenant TEXT NOT NULL, client TEXT NOT NULL, id TEXT NOT NULL, hash BLOB NOT NULL,
    created BIGINT NOT NULL, expires BIGINT NOT NULL,
    PRIMARY KEY (tenant, client, id),
    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE);
CREATE TABLE clientLogoutRedirect (
    tenant TEXT NOT NULL, client TEXT NOT NULL, uri TEXT NOT NULL, PRIMARY KEY (tenant, client, uri),
    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE);
CREATE TABLE deviceRegistrationRules (
    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id), allowedToJoin TEXT NOT NULL,
    allowedToRegister TEXT NOT NULL, userDeviceQuota BIGINT);
CREATE TABLE deviceRegistrant (
    tenant TEXT NOT NULL, act TEXT NOT NULL, person TEXT NOT NULL,
    PRIMARY KEY (tenant, act, person),
    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE);
CREATE INDEX deviceRegistrantByPerson ON deviceRegistrant (tenant, person);
CREATE TABLE helloKey (
    tenant TEXT NOT NULL, person TEXT NOT NULL, device TEXT NOT NULL, hash BLOB NOT NULL,
    key BLOB NOT NULL, registered BIGINT NOT NULL, PRIMARY KEY (tenant, person, device),
    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, device) REFERENCES device (tenant, id) ON DELETE CASCADE);
CREATE INDEX helloKeyByDevice ON helloKey (tenant, device);
CREATE INDEX deviceByManagement ON device (tenant, managedAs);
CREATE INDEX deviceByKey ON device (tenant, deviceKey);
CREATE INDEX auditByTime ON audit (tenant, time);
CREATE TABLE directoryGroup (
    tenant TEXT NOT NULL REFERENCES tenant (id), id TEXT NOT NULL, displayName TEXT NOT NULL,
    mailNickname TEXT NOT NULL, description TEXT, created BIGINT NOT NULL, PRIMARY KEY (tenant, id));
CREATE INDEX directoryGroupByName ON directoryGroup (tenant, displayName);
CREATE TABLE groupMember (
    tenant TEXT NOT NULL, directoryGroup TEXT NOT NULL, person TEXT NOT NULL,
    PRIMARY KEY (tenant, directoryGroup, person),
    FOREIGN KEY (tenant, directoryGroup) REFERENCES directoryGroup (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE);
CREATE INDEX groupMemberByPerson ON groupMember (tenant, person);
CREATE UNIQUE INDEX refreshTokenByPlace ON refreshToken (tenant, family, client, generation);
CREATE TABLE deviceCode (
    tenant TEXT NOT NULL, hash BLOB NOT NULL, userCodeHash BLOB NOT NULL, client TEXT NOT NULL,
    scope TEXT NOT NULL, expires BIGINT NOT NULL, polled BIGINT, decision TEXT, session TEXT,
    redeemed BIGINT,
    PRIMARY KEY (tenant, hash), UNIQUE (tenant, userCodeHash),
    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE);
CREATE INDEX deviceCodeByEnd ON deviceCode (tenant, expires);
CREATE INDEX deviceCodeBySession ON deviceCode (tenant, session);
CREATE TABLE receiptAuthority (
    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id), sealedAnchorKey BLOB NOT NULL,
    sealedSubjectKey BLOB NOT NULL, created BIGINT NOT NULL);
CREATE TABLE receiptAnchor (
    tenant TEXT NOT NULL REFERENCES tenant (id), chain TEXT NOT NULL, sequence BIGINT NOT NULL,
    device TEXT NOT NULL, hash TEXT NOT NULL, line BLOB NOT NULL, time BIGINT NOT NULL,
    PRIMARY KEY (tenant, chain, sequence));
CREATE TABLE offlineRules (
    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id), credentials TEXT NOT NULL,
    wallSeconds BIGINT NOT NULL, poweredSeconds BIGINT NOT NULL, boots BIGINT NOT NULL,
    attempts BIGINT NOT NULL);
CREATE TABLE offlineLease (
    tenant TEXT NOT NULL, id TEXT NOT NULL, person TEXT NOT NULL, device TEXT NOT NULL,
    expires BIGINT NOT NULL, PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, device) REFERENCES device (tenant, id) ON DELETE CASCADE);
CREATE INDEX offlineLeaseByPerson ON offlineLease (tenant, person);
CREATE INDEX offlineLeaseByDevice ON offlineLease (tenant, device);
CREATE INDEX offlineLeaseByEnd ON offlineLease (tenant, expires);
CREATE INDEX sessionByBrowser ON session (browser);
CREATE TABLE deviceBrowser (
    browser BLOB NOT NULL PRIMARY KEY, tenant TEXT NOT NULL, device TEXT NOT NULL,
    sharedDevice BIGINT NOT NULL, epochCounter BIGINT, session TEXT NOT NULL, person TEXT NOT NULL,
    noted BIGINT NOT NULL,
    FOREIGN KEY (tenant, device) REFERENCES device (tenant, id) ON DELETE CASCADE);
CREATE INDEX deviceBrowserByDevice ON deviceBrowser (tenant, device);
CREATE INDEX deviceBrowserByTime ON deviceBrowser (tenant, noted);
INSERT INTO migration VALUES ('directory', 0, 'b626c049e0924586');
INSERT INTO migration VALUES ('sessions', 1, '78818e1f2bd01c06');
INSERT INTO migration VALUES ('audit', 2, '2a13da1c7d41e2');
INSERT INTO migration VALUES ('devices', 3, 'a1f19683cbc963c2');
INSERT INTO migration VALUES ('passwords', 4, 'f6bfadd5309b1bb3');
INSERT INTO migration VALUES ('throttled names', 5, '8fada8a735902a38');
INSERT INTO migration VALUES ('clients', 6, '784ae497387daad3');
INSERT INTO migration VALUES ('confidential-clients', 7, '58aa57f6167660e9');
INSERT INTO migration VALUES ('client-state', 8, 'a5415d4d25ac1c5d');
INSERT INTO migration VALUES ('deviceRegistration', 9, 'dd0acac5dc7a9b9f');
INSERT INTO migration VALUES ('renewal', 10, '98e9758b8df3a882');
INSERT INTO migration VALUES ('management', 11, '4fc7542049a56484');
INSERT INTO migration VALUES ('device-key', 12, '1d5af6eed32b57d6');
INSERT INTO migration VALUES ('audit origin', 13, 'e71db01116e1df92');
INSERT INTO migration VALUES ('groups', 14, '5dc768404c0940f4');
INSERT INTO migration VALUES ('refresh-token-rotation', 15, 'ca78925af199605d');
INSERT INTO migration VALUES ('device-codes', 16, 'e122690570844afa');
INSERT INTO migration VALUES ('signing-key-schedule', 17, '2d066f796051901a');
INSERT INTO migration VALUES ('receipts', 18, 'a62d06b7bb38932e');
INSERT INTO migration VALUES ('offline', 19, 'ae912823585e05f4');
INSERT INTO migration VALUES ('browsers', 20, '737c47b826630eaf');
INSERT INTO tenant VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 'Seaview Hospital', 'seaview.baton.test', X'00', 1795366850269);
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 1, 1795366850269, 'operator', 'tenant.add', 'a43b47a9-305b-44d6-b409-02a13854aa94', 'done', 1, NULL, 'afb07101bb7dee56381c6fa07c753e80');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 2, 1795366850556, 'operator', 'user.add', '3230cd34-e213-4c6b-9933-4c6dc79fb2dc', 'done', 1, NULL, 'afb07101bb7dee56381c6fa07c753e81');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 3, 1795366850561, 'operator', 'role.assign', '62e90394-69f5-4237-9190-012177145e10 3230cd34-e213-4c6b-9933-4c6dc79fb2dc', 'done', 1, NULL, 'afb07101bb7dee56381c6fa07c753e82');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 4, 1795366850844, 'operator', 'user.add', '5665a118-018e-4e3c-b5b6-bcfe7a3b45de', 'done', 1, NULL, 'afb07101bb7dee56381c6fa07c753e83');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 5, 1795366850849, 'operator', 'role.assign', '7698a772-787b-4ac8-901f-60d6b08affd2 5665a118-018e-4e3c-b5b6-bcfe7a3b45de', 'done', 1, NULL, 'afb07101bb7dee56381c6fa07c753e84');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 6, 1795366851150, 'operator', 'user.add', 'b5ad4f5d-5845-4458-a01e-bea3b8da167d', 'done', 1, NULL, 'afb07101bb7dee56381c6fa07c753e85');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 7, 1795366851429, 'operator', 'user.add', '6ac46398-4301-4ea9-a7a2-2feac7c24c18', 'done', 1, NULL, 'afb07101bb7dee56381c6fa07c753e86');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 8, 1795366851726, 'operator', 'user.add', '73c595e7-6fd0-4773-b771-f1b89c971d49', 'done', 1, NULL, 'afb07101bb7dee56381c6fa07c753e87');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 9, 1795366851733, 'operator', 'client.add', '9c986091-1e5f-460a-a7a5-b82d2e6db26c', 'done', 1, NULL, 'afb07101bb7dee56381c6fa07c753e88');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 10, 1795366851736, 'operator', 'client.add', '48074982-8b34-4b50-a15c-57c0a95b343c', 'done', 1, NULL, 'afb07101bb7dee56381c6fa07c753e89');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 11, 1795366851739, 'operator', 'client.add', '74459eff-f702-4e30-b8e1-d1b7a77bcb60', 'done', 1, NULL, 'afb07101bb7dee56381c6fa07c753e8a');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 12, 1795366854364, '73c595e7-6fd0-4773-b771-f1b89c971d49', 'sign-in', '29d9ed98-a469-4536-ade2-f981bc1d605e', 'done', 1, 'page', 'afb07101bb7dee56381c6fa07c753eac');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 13, 1795366854647, '73c595e7-6fd0-4773-b771-f1b89c971d49', 'device.join', NULL, 'refused', 1, NULL, 'afb07101bb7dee56381c6fa07c753eae');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 14, 1795366856681, '5665a118-018e-4e3c-b5b6-bcfe7a3b45de', 'sign-in', '29d9ed98-a469-4536-ade2-f981bc1d605e', 'done', 1, 'page', 'afb07101bb7dee56381c6fa07c753eb0');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 15, 1795366856772, '5665a118-018e-4e3c-b5b6-bcfe7a3b45de', 'device.join', 'c25272de-575c-4b11-ad17-9306cde5a695', 'done', 1, NULL, 'afb07101bb7dee56381c6fa07c753eb2');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 16, 1795366856915, 'server', 'device.manage', 'c25272de-575c-4b11-ad17-9306cde5a695', 'done', 1, NULL, NULL);
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 17, 1795366858794, 'b5ad4f5d-5845-4458-a01e-bea3b8da167d', 'sign-in', '29d9ed98-a469-4536-ade2-f981bc1d605e', 'done', 1, 'page', 'afb07101bb7dee56381c6fa07c753ebb');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 18, 1795366858878, 'c25272de-575c-4b11-ad17-9306cde5a695', 'session.bind', '2f89610c-fe4f-4677-babe-5f96eb595a9f', 'done', 1, NULL, 'bb7c51fb-bdac-4cf9-ad16-197f2bbb25e1');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 19, 1795366860886, 'c25272de-575c-4b11-ad17-9306cde5a695', 'session.end', '2f89610c-fe4f-4677-babe-5f96eb595a9f', 'ended-at-device', 1, NULL, '8a5de0ff-f35f-44eb-81b1-d1c271d8f9cb');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 20, 1795366862625, '6ac46398-4301-4ea9-a7a2-2feac7c24c18', 'sign-in', '29d9ed98-a469-4536-ade2-f981bc1d605e', 'done', 1, 'page', 'afb07101bb7dee56381c6fa07c753ecf');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 21, 1795366862737, 'c25272de-575c-4b11-ad17-9306cde5a695', 'session.bind', 'f5e3a43e-fe83-481e-80a7-3ecf814bf238', 'done', 1, NULL, '3bccfab2-c211-4cd9-8f45-2bc07f979550');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 22, 1795366863872, 'c25272de-575c-4b11-ad17-9306cde5a695', 'session.end', 'f5e3a43e-fe83-481e-80a7-3ecf814bf238', 'ended-at-device', 1, NULL, 'afb07101bb7dee56381c6fa07c753ee2');
