-- A database as it was before names were retired: its schema and some rows, without keys and secrets.
CREATE TABLE IF NOT EXISTS migration (
    id TEXT NOT NULL PRIMARY KEY, position BIGINT NOT NULL UNIQUE, checksum TEXT NOT NULL);
CREATE TABLE authority (
    name TEXT NOT NULL PRIMARY KEY, certificate BLOB NOT NULL, privateKey BLOB NOT NULL, sealedPrivateKey BLOB);
CREATE TABLE tenant (id TEXT NOT NULL PRIMARY KEY, organization TEXT NOT NULL, topic TEXT NOT NULL);
CREATE TABLE enrolment (
    tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE, id TEXT NOT NULL, name TEXT NOT NULL,
    fingerprint TEXT NOT NULL, state TEXT NOT NULL, udid TEXT, createdAt BIGINT NOT NULL,
    expiresAt BIGINT NOT NULL, takesOver TEXT, renewalCommand TEXT, PRIMARY KEY (tenant, id), UNIQUE (tenant, fingerprint));
CREATE TABLE device (
    tenant TEXT NOT NULL, udid TEXT NOT NULL, enrolment TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL,
    productName TEXT, osVersion TEXT, serialNumber TEXT, token BLOB, pushMagic TEXT, unlockToken BLOB,
    changedAt BIGINT NOT NULL, sealedUnlockToken BLOB, PRIMARY KEY (tenant, udid),
    FOREIGN KEY (tenant, enrolment) REFERENCES enrolment (tenant, id));
CREATE TABLE command (
    tenant TEXT NOT NULL, udid TEXT NOT NULL, position BIGINT NOT NULL, uuid TEXT NOT NULL,
    requestType TEXT NOT NULL, body BLOB NOT NULL, state TEXT NOT NULL, enqueuedAt BIGINT NOT NULL,
    finishedAt BIGINT, result BLOB, sealedBody BLOB, PRIMARY KEY (tenant, udid, position), UNIQUE (tenant, udid, uuid),
    FOREIGN KEY (tenant, udid) REFERENCES device (tenant, udid) ON DELETE CASCADE);
CREATE TABLE profile (
    tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE, identifier TEXT NOT NULL, uuid TEXT NOT NULL,
    displayName TEXT, body BLOB NOT NULL, PRIMARY KEY (tenant, identifier));
CREATE TABLE app (
    tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE, bundleIdentifier TEXT NOT NULL,
    version TEXT NOT NULL, title TEXT NOT NULL, size BIGINT NOT NULL, sha256 TEXT NOT NULL,
    createdAt BIGINT NOT NULL, PRIMARY KEY (tenant, bundleIdentifier, version));
CREATE TABLE heldProfile (
    tenant TEXT NOT NULL, udid TEXT NOT NULL, identifier TEXT NOT NULL, uuid TEXT NOT NULL,
    PRIMARY KEY (tenant, udid, identifier),
    FOREIGN KEY (tenant, udid) REFERENCES device (tenant, udid) ON DELETE CASCADE);
CREATE TABLE heldApp (
    tenant TEXT NOT NULL, udid TEXT NOT NULL, identifier TEXT NOT NULL, state TEXT NOT NULL,
    hasConfiguration BIGINT NOT NULL, PRIMARY KEY (tenant, udid, identifier),
    FOREIGN KEY (tenant, udid) REFERENCES device (tenant, udid) ON DELETE CASCADE);
CREATE INDEX enrolmentOfDevice ON enrolment (tenant, udid);
CREATE INDEX commandWaiting ON command (tenant, udid, position) WHERE finishedAt IS NULL;
CREATE TABLE audit (
    tenant TEXT NOT NULL REFERENCES tenant (id), position BIGINT NOT NULL, time BIGINT NOT NULL,
    actor TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT, correlation TEXT,
    PRIMARY KEY (tenant, position));
CREATE INDEX auditByTime ON audit (tenant, time);
INSERT INTO migration VALUES ('management', 0, '324cbe1824daa186');
INSERT INTO migration VALUES ('renewal', 1, '2739ba65dbf2a523');
INSERT INTO migration VALUES ('audit', 2, 'f2cf5c620640f39e');
INSERT INTO migration VALUES ('sealed authority', 3, 'b3d8cba6b0561ccc');
INSERT INTO migration VALUES ('sealed devices', 4, '440302db0cb9a76c');
INSERT INTO tenant VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 'Seaview Hospital', 'com.apple.mgmt.External.0be36ca1-65e9-5357-abc0-088bfe450894');
INSERT INTO enrolment VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 'C052387B-7301-4E94-94B7-8E543388DEF6', 'ward-7-tablet', 'bf2aa36e36e33bb814de31044eabed9b31d063c058341a234f6d86f7ff577c12', 'bound', '289532EF-A80F-4A4E-AE0D-DB236769200E', 1795366851857, 1829667651976, NULL, NULL);
INSERT INTO device VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', '289532EF-A80F-4A4E-AE0D-DB236769200E', 'C052387B-7301-4E94-94B7-8E543388DEF6', 'ward-7-tablet', 'enrolled', 'Linux', '6.18.44-fc-v669', NULL, X'00', '5F0445FD-C455-4126-8013-DCF43A852DE9', NULL, 1795366851981, NULL);
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 1, 1795366851897, 'operator', 'mdm.enrolment.make', 'C052387B-7301-4E94-94B7-8E543388DEF6', NULL, 'afb07101bb7dee56381c6fa07c753e8b');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 2, 1795366852371, 'operator', 'mdm.app.offer', 'org.baton.authenticator', '0.1.0', 'afb07101bb7dee56381c6fa07c753e90');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 3, 1795366852380, 'operator', 'mdm.app.offer', 'org.baton.examples.firstlineworker1', '0.1.0', 'afb07101bb7dee56381c6fa07c753e91');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 4, 1795366852389, 'operator', 'mdm.app.offer', 'org.baton.examples.firstlineworker2', '0.1.0', 'afb07101bb7dee56381c6fa07c753e92');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 5, 1795366852398, 'operator', 'mdm.app.offer', 'org.baton.examples.firstlineworker3', '0.1.0', 'afb07101bb7dee56381c6fa07c753e93');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 6, 1795366852403, 'operator', 'mdm.profile.add', 'org.baton.sso', NULL, 'afb07101bb7dee56381c6fa07c753e94');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 7, 1795366852407, 'operator', 'mdm.command.queue', '289532EF-A80F-4A4E-AE0D-DB236769200E', 'InstallApplication org.baton.authenticator', 'afb07101bb7dee56381c6fa07c753e95');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 8, 1795366852412, 'operator', 'mdm.command.queue', '289532EF-A80F-4A4E-AE0D-DB236769200E', 'InstallApplication org.baton.examples.firstlineworker1', 'afb07101bb7dee56381c6fa07c753e97');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 9, 1795366852420, 'operator', 'mdm.command.queue', '289532EF-A80F-4A4E-AE0D-DB236769200E', 'InstallApplication org.baton.examples.firstlineworker2', 'afb07101bb7dee56381c6fa07c753e98');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 10, 1795366852426, 'operator', 'mdm.command.queue', '289532EF-A80F-4A4E-AE0D-DB236769200E', 'InstallApplication org.baton.examples.firstlineworker3', 'afb07101bb7dee56381c6fa07c753e9a');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 11, 1795366852438, 'operator', 'mdm.command.queue', '289532EF-A80F-4A4E-AE0D-DB236769200E', 'InstallProfile org.baton.sso', 'afb07101bb7dee56381c6fa07c753e9c');
INSERT INTO audit VALUES ('a43b47a9-305b-44d6-b409-02a13854aa94', 12, 1795366863752, 'operator', 'mdm.command.queue', '289532EF-A80F-4A4E-AE0D-DB236769200E', 'RemoveProfile org.baton.sso', 'afb07101bb7dee56381c6fa07c753eda');
