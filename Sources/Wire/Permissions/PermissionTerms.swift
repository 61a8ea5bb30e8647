import Core

/// The content of a request for permissions: `permission` in `writePermission`. It gives one permission to each grantee.
public struct PermissionTerms: Sendable, Hashable {
    /// Maximum number of grantees of one request.
    public static let granteeLimit = 100

    /// The csis that get the permission.
    public let grantees: [CsiGuid]
    /// The beginning.
    public let start: CsiInstant
    /// The end; it does not belong to the period.
    public let end: CsiInstant
    /// The time at which the person decided, as the wallet reports it.
    public let timeStamp: CsiInstant
    /// The access.
    public let scope: PermissionScope
    /// The id of the permission that is passed on; nil in version 1, and for a permission of a wallet.
    public let parent: String?

    /// Creates terms.
    ///
    /// - Throws: ``PermissionError`` `period_invalid` if the end is not after the start or more than a year after it;
    ///   `bad_field` for no grantee, more than 100, a grantee twice, or a parent that is no id.
    public init(
        grantees: [CsiGuid], start: CsiInstant, end: CsiInstant, timeStamp: CsiInstant, scope: PermissionScope,
        parent: String? = nil
    ) throws(PermissionError) {
        guard (1...Self.granteeLimit).contains(grantees.count), Set(grantees).count == grantees.count else {
            throw .field("permissionedCsiGuids", "must have 1 to \(Self.granteeLimit) different guids")
        }
        guard start < end else { throw PermissionError(.periodInvalid, "The end must be after the start.") }
        guard let limit = start.oneYearLater, end <= limit else {
            throw PermissionError(.periodInvalid, "A permission lasts one year or less.")
        }
        if let parent, !ResourceName.isID(parent) { throw .field("parentPermissionId", "must be an id") }
        self.grantees = grantees
        self.start = start
        self.end = end
        self.timeStamp = timeStamp
        self.scope = scope
        self.parent = parent
    }

    /// Reads `permission`. Version 1 may name a single grantee, and cannot name a parent.
    ///
    /// - Throws: ``PermissionError`` `malformed`, `bad_field`, `period_invalid`.
    init(json: JSON, version: CsiSignatureVersion) throws(PermissionError) {
        let required = ["endTime", "startTime", "timeStamp", "heartScope"]
        let list = "permissionedCsiGuids"
        let single = "permissionedCsiGuid"
        let fields: CsiFields
        switch version {
        case .v1: fields = try CsiFields(json, required: required, optional: [list, single])
        case .v2: fields = try CsiFields(json, required: required + [list], optional: ["parentPermissionId"])
        }
        guard (fields.value(list) == nil) != (fields.value(single) == nil) else {
            throw .malformed("The permission must have one of the fields \(list) and \(single).")
        }
        var grantees: [CsiGuid] = []
        if fields.value(single) != nil {
            grantees = [try fields.guid(single)]
        } else {
            for text in try fields.texts(list, limit: Self.granteeLimit) {
                grantees.append(try CsiFields.guid(text, of: list))
            }
        }
        try self.init(
            grantees: grantees, start: try fields.instant("startTime"), end: try fields.instant("endTime"),
            timeStamp: try fields.instant("timeStamp"),
            scope: try PermissionScope(json: fields.value("heartScope") ?? .null),
            parent: fields.value("parentPermissionId") == nil ? nil : try fields.id("parentPermissionId"))
    }

    /// The value of `permission`.
    public var json: JSON {
        var members: [JSONObject.Member] = [
            .init(key: "endTime", value: .string(end.text)), .init(key: "startTime", value: .string(start.text)),
            .init(key: "timeStamp", value: .string(timeStamp.text)),
            .init(key: "permissionedCsiGuids", value: .array(grantees.map { .string($0.text) })),
            .init(key: "heartScope", value: scope.json),
        ]
        if let parent { members.append(.init(key: "parentPermissionId", value: .string(parent))) }
        return JSON(members)
    }
}
