import Admission
import BulkExport
import Consumer
import FHIR
import Foundation
import InformedConsent
import Receiver
import ServerHTTP
import Storage
import Warehouse

/// The configuration of a study, from `study.json`. Missing members have their defaults; unknown ones are ignored.
package struct StudyConfiguration: Sendable, Hashable {
    /// Short and stable: letters, digits, `-` and `.`.
    package var id: String
    /// The title that people see.
    package var title: String
    /// The bundle identifier that an app's receipt must name; nil if the study has no app in a store.
    package var bundleIdentifier: String?
    /// The proofs by which devices may enrol.
    package var enrolment: Set<EnrolmentMethod>
    /// Maximum size of a submission, in bytes.
    package var maximumSubmissionBytes: Int
    /// Maximum number of resources in one submission.
    package var maximumResourcesPerSubmission: Int
    /// Lifetime of a device's token, in seconds.
    package var tokenLifetime: Int
    /// The strictness of FHIR validation: the findings that quarantine a submission.
    package var validation: ValidationStrictness
    /// The accepted messages of C3-PRO's apps: none by default.
    package var c3pro: C3PROAcceptance
    /// Whether unsealed resources are accepted, and sealed on arrival.
    package var acceptPlainFHIR: Bool
    /// Whether devices may send unsigned messages.
    package var unsigned: Bool
    /// Whether a participant can begin only with a code of the study team.
    package var requiresInvitation: Bool
    /// Whether the study holds identified records: devices may send identifying data.
    package var identifiedRecords: Bool
    /// The handling of identifying data, if the study does not hold identified records.
    package var identifyingData: IdentifyingDataHandling
    /// Whether receipts made by `tributary app-receipt make` are accepted. Never for real data.
    package var development: Bool
    /// The location of the queue's database: a path (relative to the study's folder), `sqlite:PATH` or
    /// `postgresql://...`; nil for the default.
    package var queue: String?
    /// The location of the records' database, in the same format.
    package var database: String?
    /// The location of i2b2's tables: the records' store by default.
    package var warehouse: WarehouseLocation
    /// The data that i2b2's tables withhold about participants.
    package var deidentification: Deidentification
    /// Number of days for which submissions after a withdrawal are held before they are refused.
    package var withdrawalGraceDays: Int
    /// Maximum bytes of one device that wait for its consent or for the study team.
    package var heldBytesPerDevice: Int
    /// Maximum bytes of one patient's records that an app writes in a day, by the FHIR API.
    package var writtenBytesPerDay = 1 << 30
    /// The data that is kept when a participant is deleted.
    package var keepOnDelete: Set<KeptOnDelete>
    /// Rate limits by request class.
    package var rates: RateLimits
    /// The size and the lifetime of exports.
    package var exports = ExportLimits()
    /// The public URL of the server, without a slash at the end; nil if `serve` sets it, or for the address that the
    /// server listens on.
    package var publicURL: String?
    /// The accounts of identified people; nil if the study has none.
    package var accounts: AccountsConfiguration?
    /// The location of the people store, in the format of `database`; nil for the default.
    package var people: String?
    /// Whether calls of FhirBlocks' own apps are accepted: version 1 of their signatures, and `/vaca`.
    package var acceptsLegacyCalls = false

    package init(
        id: String, title: String, bundleIdentifier: String?, maximumSubmissionBytes: Int = 8 << 20,
        maximumResourcesPerSubmission: Int = 10_000, tokenLifetime: Int = 1800,
        validation: ValidationStrictness = .errors, c3pro: C3PROAcceptance = C3PROAcceptance(isAccepted: false),
        acceptPlainFHIR: Bool = false, identifiedRecords: Bool = false,
        identifyingData: IdentifyingDataHandling = .quarantine,
        development: Bool = false, queue: String? = nil, database: String? = nil, withdrawalGraceDays: Int = 0,
        heldBytesPerDevice: Int = 256 << 20, keepOnDelete: Set<KeptOnDelete> = [], rates: RateLimits = RateLimits(),
        unsigned: Bool = false, requiresInvitation: Bool = false, warehouse: WarehouseLocation = .records,
        deidentification: Deidentification = .none, publicURL: String? = nil,
        enrolment: Set<EnrolmentMethod>? = nil
    ) {
        self.enrolment = enrolment ?? Self.standardEnrolment(bundleIdentifier: bundleIdentifier)
        self.publicURL = publicURL
        self.deidentification = deidentification
        self.warehouse = warehouse
        self.keepOnDelete = keepOnDelete
        self.unsigned = unsigned
        self.requiresInvitation = requiresInvitation
        self.rates = rates
        self.id = id
        self.title = title
        self.bundleIdentifier = bundleIdentifier
        self.maximumSubmissionBytes = maximumSubmissionBytes
        self.maximumResourcesPerSubmission = maximumResourcesPerSubmission
        self.tokenLifetime = tokenLifetime
        self.validation = validation
        self.c3pro = c3pro
        self.acceptPlainFHIR = acceptPlainFHIR
        self.identifiedRecords = identifiedRecords
        self.identifyingData = identifyingData
        self.development = development
        self.queue = queue
        self.database = database
        self.withdrawalGraceDays = withdrawalGraceDays
        self.heldBytesPerDevice = heldBytesPerDevice
    }

    /// Parses `study.json`.
    ///
    /// - Throws: ``ServerError`` `study-invalid`, which names the member.
    package init(json data: Data) throws {
        let json: JSON
        do {
            json = try JSON(data)
        } catch {
            throw ServerError(code: "study-invalid", message: "study.json cannot be read. \(error.message)")
        }
        func text(_ name: String) throws -> String {
            guard let value = json[name]?.string, !value.isEmpty else { throw Self.invalid(name, "a text") }
            return value
        }
        func flag(_ name: String, _ standard: Bool) throws -> Bool {
            guard let value = json[name] else { return standard }
            guard let flag = value.bool else { throw Self.invalid(name, "true or false") }
            return flag
        }
        func limit(_ name: String, _ standard: Int) throws -> Int {
            guard let value = json["limits"]?[name] else { return standard }
            guard let number = value.integer, number > 0 else { throw Self.invalid("limits.\(name)", "a whole number") }
            return number
        }
        func location(_ name: String) throws -> String? {
            guard let value = json[name], !value.isNull else { return nil }
            guard let text = value.string, !text.isEmpty else { throw Self.invalid(name, "a path or sqlite:PATH") }
            return text
        }
        func days(_ name: String) throws -> Int {
            guard let value = json[name] else { return 0 }
            guard let number = value.integer, (0...3650).contains(number) else {
                throw Self.invalid(name, "a whole number of days from 0 to 3650")
            }
            return number
        }
        func keptOnDelete() throws -> Set<KeptOnDelete> {
            guard let stated = json["keepOnDelete"] else { return [] }
            let names = stated.array?.map { $0.string.flatMap(KeptOnDelete.init(rawValue:)) }
            guard let kept = names?.compactMap({ $0 }), kept.count == names?.count else {
                let known = KeptOnDelete.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                throw Self.invalid("keepOnDelete", "a list of what is kept: \(known)")
            }
            return Set(kept)
        }
        func rates() throws -> RateLimits {
            guard let stated = json["limits"]?["rates"] else { return RateLimits() }
            var named: [String: Rate] = [:]
            for member in stated.object?.members ?? [] {
                let perSecond = member.value["perSecond"]?.number.flatMap { Double($0.text) }
                guard let perSecond, let burst = member.value["burst"]?.integer else {
                    throw Self.invalid(
                        "limits.rates.\(member.key)", "{\"perSecond\": a number, \"burst\": a whole number}")
                }
                do {
                    named[member.key] = try Rate(perSecond: perSecond, burst: burst)
                } catch {
                    throw ServerError(code: "study-invalid", message: "study.json: limits.rates. \(error.message)")
                }
            }
            do {
                return try RateLimits(replacing: named)
            } catch {
                throw ServerError(code: "study-invalid", message: "study.json: limits.rates. \(error.message)")
            }
        }
        func invitation() throws -> Bool {
            switch json["invitation"]?.string {
            case "required": return true
            case "open": return false
            case nil where json["invitation"] == nil: return false
            default: throw Self.invalid("invitation", "\"required\" or \"open\"")
            }
        }
        func bundleIdentifier() throws -> String? {
            guard let value = json["bundleIdentifier"] else { return nil }
            guard let text = value.string, !text.isEmpty else { throw Self.invalid("bundleIdentifier", "a text") }
            return text
        }
        func enrolment(_ bundleIdentifier: String?) throws -> Set<EnrolmentMethod> {
            guard let stated = json["enrolment"] else {
                return Self.standardEnrolment(bundleIdentifier: bundleIdentifier)
            }
            let names = stated.array?.map { $0.string.flatMap(EnrolmentMethod.init(rawValue:)) } ?? []
            let methods = Set(names.compactMap { $0 })
            guard !names.isEmpty, methods.count == names.count else {
                throw Self.invalid("enrolment", "a list of \"receipt\", \"invitation\" or both")
            }
            guard bundleIdentifier != nil || !methods.contains(.receipt) else {
                throw Self.invalid("bundleIdentifier", "a text if devices enrol by receipt")
            }
            return methods
        }
        func strictness(_ value: JSON?) throws -> ValidationStrictness {
            guard let value else { return .errors }
            guard let found = value.string.flatMap(ValidationStrictness.init(rawValue:)) else {
                throw Self.invalid("validation", "one of none, structure, errors, warnings")
            }
            return found
        }
        func c3pro(_ value: JSON?) throws -> C3PROAcceptance {
            guard let value else { return standard.c3pro }
            if let flag = value.bool { return C3PROAcceptance(isAccepted: flag) }
            guard let object = value.object else { throw Self.invalid("c3pro", "true, false or an object") }
            guard let withoutTerms = object["contractsWithoutTerms"] else { return C3PROAcceptance(isAccepted: true) }
            guard let flag = withoutTerms.bool else {
                throw Self.invalid("c3pro.contractsWithoutTerms", "true or false")
            }
            return C3PROAcceptance(isAccepted: true, acceptsContractsWithoutTerms: flag)
        }
        func legacyCalls() throws -> Bool {
            guard let value = json["fhirBlocks"] else { return false }
            guard value.object != nil else { throw Self.invalid("fhirBlocks", "{\"legacy\": true or false}") }
            guard let legacy = value["legacy"] else { return false }
            guard let flag = legacy.bool else { throw Self.invalid("fhirBlocks.legacy", "true or false") }
            return flag
        }
        func identifyingData() throws -> IdentifyingDataHandling {
            guard let value = json["identifyingData"] else { return .quarantine }
            switch value.string.flatMap(IdentifyingDataHandling.init(rawValue:)) {
            case .quarantine?: return .quarantine
            case .reduce?: return .reduce
            case .accept?, nil: throw Self.invalid("identifyingData", "one of quarantine, reduce")
            }
        }
        func warehouse() throws -> WarehouseLocation {
            guard let value = json["warehouse"], !value.isNull else { return .records }
            func schema(_ name: String) throws -> PostgreSQLSchema? {
                guard let stated = value[name] else { return nil }
                guard let text = stated.string, let schema = try? PostgreSQLSchema(text) else {
                    throw Self.invalid("warehouse.\(name)", "the name of a schema: small letters, digits and low lines")
                }
                return schema
            }
            guard value.object != nil, let data = try schema("schema") else {
                throw Self.invalid(
                    "warehouse", "{\"schema\": a name, \"metadataSchema\": a name, \"url\": a database, if another one}"
                )
            }
            let metadata = try schema("metadataSchema") ?? data
            guard let stated = value["url"], !stated.isNull else { return .i2b2(data: data, metadata: metadata) }
            guard let url = stated.string else {
                throw Self.invalid("warehouse.url", "a text: postgresql://USER@HOST:PORT/DATABASE")
            }
            return .replicated(
                WarehouseReplica(address: try PostgreSQLAddress(url), data: data, metadata: metadata))
        }
        func deidentification() throws -> Deidentification {
            guard let value = json["deidentification"], !value.isNull else { return .none }
            guard let rules = Deidentification(value) else {
                throw Self.invalid(
                    "deidentification",
                    """
                    {"pseudonym": true or false, "dateShiftDays": 0 to \(Deidentification.maximumShift), "freeText": "in", \
                    "out" or a list of linkIds}
                    """)
            }
            return rules
        }
        let standard = StudyConfiguration(id: "", title: "", bundleIdentifier: "")
        let bundle = try bundleIdentifier()
        self.init(
            id: try text("id"), title: try text("title"), bundleIdentifier: bundle,
            maximumSubmissionBytes: try limit("submissionBytes", standard.maximumSubmissionBytes),
            maximumResourcesPerSubmission: try limit("resources", standard.maximumResourcesPerSubmission),
            tokenLifetime: try limit("tokenSeconds", standard.tokenLifetime),
            validation: try strictness(json["validation"]), c3pro: try c3pro(json["c3pro"]),
            acceptPlainFHIR: try flag("acceptPlainFHIR", standard.acceptPlainFHIR),
            identifiedRecords: try flag("identifiedRecords", standard.identifiedRecords),
            identifyingData: try identifyingData(),
            development: try flag("development", standard.development), queue: try location("queue"),
            database: try location("database"), withdrawalGraceDays: try days("withdrawalGraceDays"),
            heldBytesPerDevice: try limit("heldBytesPerDevice", standard.heldBytesPerDevice),
            keepOnDelete: try keptOnDelete(), rates: try rates(), unsigned: try flag("unsigned", standard.unsigned),
            requiresInvitation: try invitation(), warehouse: try warehouse(),
            deidentification: try deidentification(), publicURL: try location("publicURL"),
            enrolment: try enrolment(bundle))
        if let publicURL { self.publicURL = try Self.publicURL(publicURL, development: development) }
        accounts = try json["accounts"].flatMap { $0.isNull ? nil : try AccountsConfiguration($0) }
        people = try location("people")
        acceptsLegacyCalls = try legacyCalls()
        writtenBytesPerDay = try limit("writtenBytesPerDay", writtenBytesPerDay)
        exports.bytes = Int64(try limit("exportBytes", Int(exports.bytes)))
        exports.keptFor = 3600 * Double(try limit("exportHours", Int(exports.keptFor / 3600)))
        guard Resource.isID(id) else { throw Self.invalid("id", "up to 64 letters, digits, - and .") }
    }

    /// The known members of study.json.
    static let knownMembers: Set<String> = [
        "id", "title", "bundleIdentifier", "limits", "validation", "c3pro", "acceptPlainFHIR", "development", "queue",
        "database", "withdrawalGraceDays", "keepOnDelete", "unsigned", "invitation", "enrolment",
        "identifiedRecords", "identifyingData", "warehouse", "deidentification", "publicURL", "accounts", "people",
        "fhirBlocks",
    ]
    /// The known members of `limits`.
    static let knownLimits: Set<String> = [
        "submissionBytes", "resources", "tokenSeconds", "heldBytesPerDevice", "rates", "exportBytes", "exportHours",
        "writtenBytesPerDay",
    ]

    /// The handling of identifying data.
    package var identifyingDataHandling: IdentifyingDataHandling { identifiedRecords ? .accept : identifyingData }

    /// The configuration as the text of `study.json`.
    package var json: JSON {
        var object: JSONObject = JSONObject()
        for member in fixedMembers.object?.members ?? [] { object[member.key] = member.value }
        if let publicURL { object["publicURL"] = .string(publicURL) }
        if let queue { object["queue"] = .string(queue) }
        if let database { object["database"] = .string(database) }
        if let people { object["people"] = .string(people) }
        if let accounts { object["accounts"] = accounts.json }
        if acceptsLegacyCalls { object["fhirBlocks"] = ["legacy": true] }
        switch warehouse {
        case .records: break
        case .i2b2(let data, let metadata):
            object["warehouse"] = ["schema": .string(data.name), "metadataSchema": .string(metadata.name)]
        case .replicated(let replica):
            object["warehouse"] = [
                "schema": .string(replica.data.name), "metadataSchema": .string(replica.metadata.name),
                "url": .string(StoreLocation.postgreSQL(replica.address).description),
            ]
        }
        if deidentification != .none { object["deidentification"] = deidentification.json }
        if !keepOnDelete.isEmpty {
            object["keepOnDelete"] = .array(keepOnDelete.map(\.rawValue).sorted().map { .string($0) })
        }
        if unsigned { object["unsigned"] = .bool(true) }
        if requiresInvitation { object["invitation"] = .string("required") }
        if enrolment != Self.standardEnrolment(bundleIdentifier: bundleIdentifier) {
            object["enrolment"] = .array(enrolment.map(\.rawValue).sorted().map { .string($0) })
        }
        return .object(object)
    }

    /// Returns the proofs by which devices enrol if study.json does not list them: the receipt of the study's app, or
    /// an invitation if the study has no app.
    private static func standardEnrolment(bundleIdentifier: String?) -> Set<EnrolmentMethod> {
        bundleIdentifier == nil ? [.invitation] : [.receipt]
    }

    private var fixedMembers: JSON {
        var object = JSONObject()
        object["id"] = .string(id)
        object["title"] = .string(title)
        if let bundleIdentifier { object["bundleIdentifier"] = .string(bundleIdentifier) }
        for member in commonMembers.object?.members ?? [] { object[member.key] = member.value }
        return .object(object)
    }

    private var commonMembers: JSON {
        [
            "limits": [
                "submissionBytes": .number(JSONNumber(maximumSubmissionBytes)),
                "resources": .number(JSONNumber(maximumResourcesPerSubmission)),
                "tokenSeconds": .number(JSONNumber(tokenLifetime)),
                "heldBytesPerDevice": .number(JSONNumber(heldBytesPerDevice)),
            ],
            "validation": .string(validation.rawValue), "c3pro": c3proMember,
            "acceptPlainFHIR": .bool(acceptPlainFHIR), "identifiedRecords": .bool(identifiedRecords),
            "identifyingData": .string(identifyingData.rawValue), "development": .bool(development),
            "withdrawalGraceDays": .number(JSONNumber(withdrawalGraceDays)),
        ]
    }

    private var c3proMember: JSON {
        c3pro.acceptsContractsWithoutTerms ? ["contractsWithoutTerms": true] : .bool(c3pro.isAccepted)
    }

    private static func invalid(_ name: String, _ wanted: String) -> ServerError {
        ServerError(code: "study-invalid", message: "study.json: \(name) must be \(wanted).")
    }
}

/// The error of a study's folder or server that cannot be used.
package struct ServerError: CodedError, Hashable {
    package let code: String
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
