import Storage

extension AccountStore {
    /// Digests of the deleted rows that connect a participant with tokens, accounts and authorizations.
    package struct Forgotten: Sendable, Hashable {
        /// Entries of tokens that gave access to the participant's records.
        package let tokens: RowsDigest
        /// Accounts with which the participant signed in.
        package let accounts: RowsDigest
        /// Authorizations of apps that the participant gave, or that gave access to the participant's records.
        package let authorizations: RowsDigest
    }

    /// Deletes a participant's accounts, the authorizations of apps that they gave or that gave access to their records,
    /// and the entries of tokens.
    package static func forget(_ participant: String, in transaction: any SQLTransaction) throws -> Forgotten {
        let theirs = SQLValue(participant)
        let tokens = try transaction.delete(
            from: "token_patient", where: "participant = ?", [theirs], orderedBy: "token_id")
        let given = "participant = ? OR account_id IN (SELECT id FROM user_account WHERE participant = ?)"
        for table in ["token_permission", "bearer_token", "refresh_token", "authorization_code"] {
            try transaction.execute(
                "DELETE FROM \(table) WHERE authorization_id IN (SELECT id FROM access_authorization WHERE \(given))",
                [theirs, theirs])
        }
        let authorizations = try transaction.delete(
            from: "access_authorization", where: given, [theirs, theirs], orderedBy: "number")
        try transaction.execute(
            "DELETE FROM user_session WHERE account_id IN (SELECT id FROM user_account WHERE participant = ?)", [theirs]
        )
        let accounts = try transaction.delete(
            from: "user_account", where: "participant = ?", [theirs], orderedBy: "id")
        return Forgotten(tokens: tokens, accounts: accounts, authorizations: authorizations)
    }

    /// Deletes an account with its sessions and the authorizations of apps.
    package static func delete(account: String, in transaction: any SQLTransaction) throws {
        try end(account: account, in: transaction)
        try transaction.execute("DELETE FROM user_account WHERE id = ?", [SQLValue(account)])
    }
}
