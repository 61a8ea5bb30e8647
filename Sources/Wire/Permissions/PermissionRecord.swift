import Core

/// A permission as the server reports it to its grantor and its grantee.
public struct PermissionRecord: JSONMessage, Sendable, Hashable {
    /// Whether a permission gives access.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// It is not ended. Its period may not have begun.
        case active
        /// Its period is over.
        case expired
        /// It was ended.
        case revoked
    }

    /// The id.
    public var id: String
    /// The csi that gave it.
    public var grantor: CsiGuid
    /// The csis that received it.
    public var grantees: [CsiGuid]
    /// The beginning.
    public var start: CsiInstant
    /// The end; it does not belong to the period.
    public var end: CsiInstant
    /// The time at which the person decided, as the wallet reported it.
    public var timeStamp: CsiInstant
    /// The access.
    public var scope: PermissionScope
    /// Whether it gives access.
    public var status: Status
    /// The id of the permission that was passed on; nil for a permission of a wallet.
    public var parent: String?
    /// The id of the Consent; nil if the answer does not contain it.
    public var consent: String?
    /// The signature of the request, base64 of DER; nil if the answer does not contain it.
    public var signature: String?
    /// The version of that signature; nil if the answer does not contain it.
    public var version: CsiSignatureVersion?

    /// Creates a record.
    public init(
        id: String, grantor: CsiGuid, grantees: [CsiGuid], start: CsiInstant, end: CsiInstant, timeStamp: CsiInstant,
        scope: PermissionScope, status: Status, parent: String? = nil, consent: String? = nil,
        signature: String? = nil, version: CsiSignatureVersion? = nil
    ) {
        self.id = id
        self.grantor = grantor
        self.grantees = grantees
        self.start = start
        self.end = end
        self.timeStamp = timeStamp
        self.scope = scope
        self.status = status
        self.parent = parent
        self.consent = consent
        self.signature = signature
        self.version = version
    }

    public init?(json: JSON) {
        guard let id = json["permissionId"]?.string, ResourceName.isID(id),
            let grantor = json["grantingCsiGuid"]?.string.flatMap({ CsiGuid($0) }),
            let texts = json["permissionedCsiGuids"]?.texts, texts.count <= PermissionTerms.granteeLimit,
            let start = json["startTime"]?.string.flatMap({ CsiInstant($0) }),
            let end = json["endTime"]?.string.flatMap({ CsiInstant($0) }),
            let timeStamp = json["timeStamp"]?.string.flatMap({ CsiInstant($0) }),
            let scope = json["heartScope"].flatMap({ try? PermissionScope(json: $0) }),
            let status = json["status"]?.string.flatMap(Status.init(rawValue:)),
            let parent = json.optional("parentPermissionId", \.string),
            let consent = json.optional("consentId", \.string), let signature = json.optional("signature", \.string),
            let version = json.optional("sigVersion", { $0.string.flatMap(CsiSignatureVersion.init(rawValue:)) })
        else { return nil }
        let grantees = texts.compactMap { CsiGuid($0) }
        guard !grantees.isEmpty, grantees.count == texts.count else { return nil }
        self.init(
            id: id, grantor: grantor, grantees: grantees, start: start, end: end, timeStamp: timeStamp, scope: scope,
            status: status, parent: parent, consent: consent, signature: signature, version: version)
    }

    /// The object in `permissions`.
    public var json: JSON {
        var members: [JSONObject.Member] = [
            .init(key: "permissionId", value: .string(id)),
            .init(key: "grantingCsiGuid", value: .string(grantor.text)),
            .init(key: "permissionedCsiGuids", value: .array(grantees.map { .string($0.text) })),
            .init(key: "startTime", value: .string(start.text)), .init(key: "endTime", value: .string(end.text)),
            .init(key: "timeStamp", value: .string(timeStamp.text)), .init(key: "heartScope", value: scope.json),
            .init(key: "status", value: .string(status.rawValue)),
        ]
        for (name, value) in [
            ("parentPermissionId", parent), ("consentId", consent), ("signature", signature),
            ("sigVersion", version?.rawValue),
        ] {
            if let value { members.append(.init(key: name, value: .string(value))) }
        }
        return JSON(members)
    }
}
