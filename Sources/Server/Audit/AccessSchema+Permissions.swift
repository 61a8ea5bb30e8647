import Storage

extension AccessSchema {
    /// Tables of apps on devices, wallets, and the permissions that people give.
    static let permissions = [instances, signedCalls, grantedPermissions]

    private static let instances = SchemaSection("Apps on devices") { dialect in
        """
        -- A csi: an app on a device. Its key is the key set of the client.
        CREATE TABLE csi (
            -- The guid: the id of the client, and of its key.
            guid text PRIMARY KEY REFERENCES registered_client (id),
            -- The id of the device, as the app states it.
            device_id text NOT NULL,
            -- The claims about the person as JSON; NULL if all are empty.
            claims text,
            -- `provider` or `caregiver`, assigned by the site.
            role text,
            -- The Patient, for a wallet.
            participant text,
            bound_at text,
            created_at text NOT NULL,
            ended_at text
        );
        -- A Patient has one wallet at a time, and a device too.
        CREATE UNIQUE INDEX csi_wallet_of_patient ON csi (participant) WHERE participant IS NOT NULL AND ended_at IS NULL;
        CREATE UNIQUE INDEX csi_wallet_of_device ON csi (device_id) WHERE participant IS NOT NULL AND ended_at IS NULL;
        CREATE INDEX csi_by_patient ON csi (participant);
        CREATE INDEX csi_by_device ON csi (device_id);

        -- A one-time code, by which a wallet is bound to a Patient.
        CREATE TABLE wallet_code (
            secret_digest text PRIMARY KEY,
            participant text NOT NULL,
            created_at text NOT NULL,
            expires_at text NOT NULL,
            used_at text,
            -- The csi.
            used_by text
        );
        CREATE INDEX wallet_code_by_participant ON wallet_code (participant);

        -- One row: the key by which the server recognises the guids that it issued.
        CREATE TABLE csi_guid_key (
            id bigint PRIMARY KEY,
            mac_key \(dialect.blob) NOT NULL
        );
        """
    }

    private static let signedCalls = SchemaSection("Signed calls") { dialect in
        """
        -- A used nonce of a csi.
        CREATE TABLE csi_nonce (
            csi text NOT NULL,
            nonce text NOT NULL,
            expires_at text NOT NULL,
            PRIMARY KEY (csi, nonce)
        );
        CREATE INDEX csi_nonce_by_end ON csi_nonce (expires_at);

        -- A signed call that gave or ended permissions, as it was received.
        CREATE TABLE permission_request (
            number \(dialect.numberedKey),
            id text NOT NULL UNIQUE,
            csi text NOT NULL,
            -- The path of the call.
            path text NOT NULL,
            -- The key of the csi at that time: base64 of SubjectPublicKeyInfo.
            public_key text NOT NULL,
            -- The body, byte for byte.
            body \(dialect.blob) NOT NULL,
            received_at text NOT NULL
        );

        -- A code of `/vaca/auth`, stored as long as its token, so that a second use is detected.
        CREATE TABLE csi_token_code (
            code_digest text PRIMARY KEY,
            csi text NOT NULL,
            -- The requested scopes.
            scopes text NOT NULL,
            expires_at text NOT NULL,
            used_at text,
            -- The authorization of the issued token.
            authorization_id text
        );
        CREATE INDEX csi_token_code_by_end ON csi_token_code (expires_at);
        """
    }

    private static let grantedPermissions = SchemaSection("Permissions") { dialect in
        """
        -- A permission of one csi for another.
        CREATE TABLE access_permission (
            number \(dialect.numberedKey),
            -- The id, also of its Consent.
            id text NOT NULL UNIQUE,
            -- The request that gave it.
            request_id text NOT NULL REFERENCES permission_request (id),
            grantor text NOT NULL,
            grantee text NOT NULL,
            -- The Patient whose records it covers.
            participant text NOT NULL,
            -- The permission that was passed on.
            parent_id text,
            -- `read` or `write`.
            access text NOT NULL,
            -- Resource types separated by commas, or `*`.
            resource_types text NOT NULL,
            -- The maximum confidentiality.
            confidentiality text NOT NULL,
            -- Sensitivity codes separated by spaces.
            sensitivities text NOT NULL,
            starts_at text NOT NULL,
            -- The end by its terms.
            ends_at text NOT NULL,
            created_at text NOT NULL,
            -- The time at which it was ended before its time.
            ended_at text,
            -- The request that ended it; NULL for an end without one.
            ending_request_id text
        );
        CREATE INDEX access_permission_by_grantor ON access_permission (grantor, number);
        CREATE INDEX access_permission_by_grantee ON access_permission (grantee, number);
        CREATE INDEX access_permission_by_participant ON access_permission (participant, number);
        CREATE INDEX access_permission_by_parent ON access_permission (parent_id) WHERE parent_id IS NOT NULL;
        CREATE INDEX access_permission_by_request ON access_permission (request_id);

        -- A permission that a token carries.
        CREATE TABLE token_permission (
            authorization_id text NOT NULL REFERENCES access_authorization (id),
            permission_id text NOT NULL,
            PRIMARY KEY (authorization_id, permission_id)
        );
        CREATE INDEX token_permission_by_permission ON token_permission (permission_id);
        """
    }
}
