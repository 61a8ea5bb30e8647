import Foundation
import Storage

/// Rows of csis and permissions, as the calls of apps write them.
package struct PermissionRows: Sendable {
    package let database: any SQLDatabase
    /// The time of all rows.
    package let now: Date

    package init(_ database: any SQLDatabase, now: Date) {
        self.database = database
        self.now = now
    }

    /// Returns a guid: a letter 36 times.
    package static func guid(_ letter: String) -> String { String(repeating: letter, count: 36) }

    /// Registers a csi.
    ///
    /// - Parameters:
    ///   - keySet: the JWK set.
    ///   - patient: the Patient of a wallet.
    package func csi(_ guid: String, device: String, keySet: String = "{}", patient: String? = nil) async throws {
        try await database.write { transaction in
            try transaction.execute(
                "INSERT INTO registered_client (id, name, key_set, scopes, created_at) VALUES (?, ?, ?, ?, ?)",
                [
                    SQLValue(guid), "App", SQLValue(keySet), "patient/*.crus user/*.crus conf/V sens/*", SQLValue(now),
                ])
            try transaction.execute(
                "INSERT INTO csi (guid, device_id, participant, bound_at, created_at) VALUES (?, ?, ?, ?, ?)",
                [
                    SQLValue(guid), SQLValue(device), SQLValue(patient), SQLValue(patient == nil ? nil : now),
                    SQLValue(now),
                ])
        }
    }

    /// Terms of a permission; seconds are counted from ``now``.
    package struct Terms: Sendable {
        package var access = "read"
        package var types = "*"
        package var confidentiality = "N"
        package var sensitivities = ""
        package var start: Double = 0
        package var end: Double = 86_400

        package init() {}

        /// Returns the terms with changes.
        package static func with(_ change: (inout Terms) -> Void) -> Terms {
            var terms = Terms()
            change(&terms)
            return terms
        }
    }

    /// Gives permissions for the records of patients; their ids are those of the patients after a prefix.
    package func permit(
        _ grantee: String, patients: [String], prefix: String = "permission-", terms: Terms = Terms()
    ) async throws {
        let grantor = Self.guid("w")
        try await database.write { transaction in
            let request = "request-" + prefix + (patients.first ?? "")
            try transaction.execute(
                """
                INSERT INTO permission_request (id, csi, path, public_key, body, received_at) VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLValue(request), SQLValue(grantor), "/permission/writePermission", "key", .blob(Data()),
                    SQLValue(now),
                ])
            for patient in patients {
                try transaction.execute(
                    """
                    INSERT INTO access_permission
                        (id, request_id, grantor, grantee, participant, access, resource_types, confidentiality,
                         sensitivities, starts_at, ends_at, created_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                    [
                        SQLValue(prefix + patient), SQLValue(request), SQLValue(grantor), SQLValue(grantee),
                        SQLValue(patient), SQLValue(terms.access), SQLValue(terms.types),
                        SQLValue(terms.confidentiality), SQLValue(terms.sensitivities),
                        SQLValue(now.addingTimeInterval(terms.start)), SQLValue(now.addingTimeInterval(terms.end)),
                        SQLValue(now),
                    ])
            }
        }
    }

    /// Ends a permission before its time, as a call does it.
    package func end(_ id: String, at time: Date) async throws {
        try await database.write { transaction in
            try transaction.execute(
                "UPDATE access_permission SET ended_at = ? WHERE id = ?", [SQLValue(time), SQLValue(id)])
            try transaction.execute(
                """
                UPDATE access_authorization SET permission_changes = permission_changes + 1
                WHERE id IN (SELECT authorization_id FROM token_permission WHERE permission_id = ?)
                """, [SQLValue(id)])
        }
    }

    /// Ends a csi, as a call does it, but not its permissions.
    package func end(csi guid: String, at time: Date) async throws {
        try await database.write { transaction in
            for sql in [
                "UPDATE csi SET ended_at = ? WHERE guid = ?",
                "UPDATE registered_client SET revoked_at = ? WHERE id = ?",
            ] {
                try transaction.execute(sql, [SQLValue(time), SQLValue(guid)])
            }
        }
    }
}
