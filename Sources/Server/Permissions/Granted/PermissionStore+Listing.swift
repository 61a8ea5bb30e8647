import AccessPolicy
import Core
import Foundation
import Storage
import Wire

extension PermissionStore {
    /// Returns the permissions that a csi gave: for a wallet also those of earlier wallets of its Patient, and those that
    /// apps passed on. The newest ones are returned, in the order of their creation.
    ///
    /// - Parameter all: whether ended and expired ones are included.
    package func given(
        by csi: CsiInstance, all: Bool, at now: Date, in transaction: any SQLTransaction
    ) throws -> [PermissionRecord] {
        var queries = [SQLQuery(all ? Self.allGivenSQL : Self.givenSQL, parameters(csi.guid.text, all: all, at: now))]
        if let patient = csi.patient {
            queries.append(
                SQLQuery(all ? Self.allOfPatientSQL : Self.ofPatientSQL, parameters(patient, all: all, at: now)))
        }
        let rows = try transaction.queries(queries).joined().map { try GrantedPermission($0) }
        return try reports(rows, at: now, in: transaction)
    }

    /// Returns the permissions that a csi received, the newest ones in the order of their creation.
    ///
    /// - Parameter all: whether ended and expired ones are included.
    package func received(
        by csi: CsiInstance, all: Bool, at now: Date, in transaction: any SQLTransaction
    ) throws -> [PermissionRecord] {
        let rows = try transaction.query(
            all ? Self.allReceivedSQL : Self.listedReceivedSQL, parameters(csi.guid.text, all: all, at: now))
        return try reports(rows.map { try GrantedPermission($0) }, at: now, in: transaction)
    }

    /// Returns the permissions for the records of a Patient, or of all Patients, the newest ones in the order of their
    /// creation, also those that have ended.
    package func permissions(
        ofPatient patient: String?, in transaction: any SQLTransaction
    ) throws -> [GrantedPermission] {
        let limit = SQLValue(Self.maximumListed)
        let rows =
            try patient.map { try transaction.query(Self.allOfPatientSQL, [SQLValue($0), limit]) }
            ?? transaction.query(Self.newestSQL, [limit])
        return try rows.map { try GrantedPermission($0) }.reversed()
    }

    /// Returns permissions in the form of an answer, in the order of their creation.
    package func reports(
        _ permissions: [GrantedPermission], at now: Date, in transaction: any SQLTransaction
    ) throws -> [PermissionRecord] {
        var known: Set<String> = []
        let distinct = permissions.filter { known.insert($0.id).inserted }.sorted { $0.number < $1.number }
            .suffix(Self.maximumListed)
        var requests: [String: RequestValues] = [:]
        return try distinct.map { permission in
            let request = try requests[permission.requestID] ?? values(of: permission, in: transaction)
            requests[permission.requestID] = request
            return PermissionRecord(
                id: permission.id, grantor: permission.grantor, grantees: [permission.grantee],
                start: CsiInstant(exactly: permission.limits.start), end: CsiInstant(exactly: permission.limits.end),
                timeStamp: request.timeStamp, scope: request.scope, status: permission.status(at: now),
                parent: permission.parent, consent: permission.id, signature: request.signature,
                version: request.version)
        }
    }

    /// Values of a request that the rows of its permissions do not have.
    private struct RequestValues {
        let timeStamp: CsiInstant
        let scope: PermissionScope
        let signature: String?
        let version: CsiSignatureVersion
    }

    /// Reads the request of a permission. It was verified when it was stored, so only the values are read.
    private func values(
        of permission: GrantedPermission, in transaction: any SQLTransaction
    ) throws -> RequestValues {
        let body = try request(permission.requestID, in: transaction).flatMap { JSON(reading: $0.body) }
        let terms = body?["permission"]
        guard let timeStamp = terms?["timeStamp"]?.string.flatMap({ CsiInstant($0) }),
            let scope = terms?["heartScope"]
        else { throw StorageError(code: "storage-failed", message: "The request of a permission is damaged.") }
        return RequestValues(
            timeStamp: timeStamp, scope: try PermissionScope(json: scope), signature: body?["signature"]?.string,
            version: body?["sigVersion"] == nil ? .v1 : .v2)
    }

    private func parameters(_ id: String, all: Bool, at now: Date) -> [SQLValue] {
        [SQLValue(id)] + (all ? [] : [SQLValue(now)]) + [SQLValue(Self.maximumListed)]
    }

    private static func sql(_ column: StaticString, all: Bool) -> String {
        "SELECT * FROM access_permission WHERE \(column) = ?"
            + (all ? "" : " AND ended_at IS NULL AND ends_at > ?") + " ORDER BY number DESC LIMIT ?"
    }

    // Parameters: csi or Patient, the time without `all`, limit.
    static let givenSQL = sql("grantor", all: false)
    static let allGivenSQL = sql("grantor", all: true)
    static let ofPatientSQL = sql("participant", all: false)
    static let allOfPatientSQL = sql("participant", all: true)
    static let listedReceivedSQL = sql("grantee", all: false)
    static let allReceivedSQL = sql("grantee", all: true)
    /// Parameter: limit.
    static let newestSQL = "SELECT * FROM access_permission ORDER BY number DESC LIMIT ?"
}

extension CsiInstant {
    /// Creates a time of the store, which has its form.
    init(exactly date: Date) {
        self = CsiInstant(SQLTimestamp.text(date)) ?? CsiInstant(date)
    }
}
