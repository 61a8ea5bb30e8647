import AccessPolicy
import Storage

extension PermissionLimits {
    /// Reads the limits of a row of `access_permission`.
    ///
    /// - Throws: ``Storage/StorageError`` for a damaged row.
    package init(stored row: SQLRow) throws {
        let read = PermissionLimits(
            access: try row.text("access"), types: try row.text("resource_types"),
            confidentiality: try row.text("confidentiality"), sensitivities: try row.text("sensitivities"),
            start: try row.date("starts_at"), end: try row.date("ends_at"))
        guard let read else {
            throw StorageError(code: "storage-failed", message: "The row of a permission is damaged.")
        }
        self = read
    }
}
