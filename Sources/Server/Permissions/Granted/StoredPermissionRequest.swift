import Core
import Foundation
import Storage
import Wire

/// A signed request that gave or ended permissions, as it was received.
package struct StoredPermissionRequest: Sendable, Hashable {
    /// The id.
    package let id: String
    /// The csi that signed it.
    package let csi: CsiGuid
    /// The address of the call.
    package let path: CsiPath
    /// The key of the csi at that time, base64 of SubjectPublicKeyInfo.
    package let publicKey: String
    /// The body, byte for byte.
    package let body: Data
    package let receivedAt: Date

    /// Reads a row of `permission_request`.
    ///
    /// - Throws: ``Storage/StorageError`` for a damaged row.
    init(_ row: SQLRow) throws {
        guard let csi = CsiGuid(try row.text("csi")), let path = CsiPath(rawValue: try row.text("path")) else {
            throw StorageError(code: "storage-failed", message: "The row of a signed request is damaged.")
        }
        id = try row.text("id")
        self.csi = csi
        self.path = path
        publicKey = try row.text("public_key")
        body = try row.blob("body")
        receivedAt = try row.date("received_at")
    }

    /// Reads the request and verifies its signature with the stored key.
    ///
    /// - Throws: ``Wire/PermissionError`` if it is not the signed request of this csi.
    package func verified() throws(PermissionError) -> SignedCsiRequest {
        let request = try SignedCsiRequest(reading: body, path: path)
        let key = try P256PublicKey(base64Info: publicKey)
        guard request.csi == csi else { throw PermissionError(.badSignature, "The request is that of another csi.") }
        try request.verify(with: key)
        return request
    }

    /// Parameter: id.
    static let sql = "SELECT * FROM permission_request WHERE id = ?"

    /// Stores a verified call, and returns its id.
    static func store(_ call: VerifiedCsiCall, id: String, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO permission_request (id, csi, path, public_key, body, received_at) VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(id), SQLValue(call.csi.guid.text), SQLValue(call.request.call.path.rawValue),
                SQLValue(call.key.base64Info), SQLValue(call.request.body), SQLValue(call.receivedAt),
            ])
    }
}
