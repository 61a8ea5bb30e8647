import Storage
import Wire

/// Ends the permissions of a csi that ends.
package protocol PermissionEnding: Sendable {
    /// Ends the permissions that a csi received and those that it passed on, with all that depends on them, in the
    /// transaction that ends the csi. The permissions that a Patient gave by a wallet remain after its end.
    func endPermissions(ofEnded csi: CsiGuid, in transaction: any SQLTransaction) throws
}
