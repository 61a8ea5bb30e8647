import Audit

extension CsiCalls {
    /// Creates the pipeline of a study, with the permissions of the audit's database.
    package init(audit: AuditLog, rules: Rules) {
        self.init(audit: audit, permissions: PermissionStore(audit: audit), rules: rules)
    }
}

extension CsiStore {
    /// Creates the store of a study, with the permissions of the audit's database.
    package init(audit: AuditLog) {
        self.init(audit: audit, permissions: PermissionStore(audit: audit))
    }
}
