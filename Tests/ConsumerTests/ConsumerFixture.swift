import Audit
import Enrolments
import FHIR
import Foundation
import HealthData
import Identity
import InformedConsent
import Logging
import RecordStorage
import Storage
import StorageTestSupport
import Submissions
import Testing
import Warehouse
import Wire

@testable import Admission
@testable import Consumer
@testable import StudyKeys

extension SubmissionProcessor {
    /// Prepares and records one submission as the consumer does: again if the sender's state has changed.
    func process(
        _ submission: QueuedSubmission, prepared: PreparedSubmission? = nil
    ) async throws -> SubmissionOutcome {
        if let prepared, let outcome = try await record([prepared]).first { return outcome }
        while true {
            if let outcome = try await record([prepare(submission)]).first { return outcome }
        }
    }
}

/// The two stores, keys and a processor, all in this process.
struct ConsumerFixture {
    static let template = "https://example.org/consent"

    /// The records store.
    let database: any SQLDatabase
    let queueStore: any SQLDatabase
    let queue: SQLSubmissionQueue
    let access: EnrolmentStore
    let keys: [PrivateKey]
    let processor: SubmissionProcessor
    private let folder: URL

    init(
        c3pro: C3PROAcceptance = C3PROAcceptance(isAccepted: true, acceptsContractsWithoutTerms: true),
        strictness: ValidationStrictness = .errors, withdrawalGrace: TimeInterval = 0,
        identifyingData: IdentifyingDataHandling = .quarantine,
        templates: [String] = ConsumerFixture.contractTemplates, forms: [Questionnaire]? = nil,
        published: (@Sendable () async -> PublishedStudy)? = nil,
        signatures: SignaturePolicy = .init(study: "s", acceptsUnsigned: true), links: LinkIntake = .none,
        ownBases: [String] = [], clock: @escaping @Sendable () -> Date = { Date() }
    ) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("consumer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try await TestEngine.chosen.open(
            path: folder.appendingPathComponent("records.sqlite").path,
            migrations: [
                .baseline(
                    of: "records",
                    AccessSchema.sections + RecordsSchema.sections + WarehouseSchema.sections + ConsumerSchema.sections)
            ])
        queueStore = try await TestEngine.chosen.open(
            path: folder.appendingPathComponent("queue.sqlite").path, migrations: SubmissionsSchema.migrations)
        queue = SQLSubmissionQueue(database: queueStore)
        access = EnrolmentStore(database: database, clock: clock)
        keys = [try PrivateKey.generateP256(), try PrivateKey.generateRSA()]
        let study = PublishedStudy(
            templates: try templates.map { try ConsentTemplate(Resource(Data($0.utf8))) },
            forms: try forms ?? [Questionnaire(JSON(parsing: Self.form).object ?? JSONObject())])
        processor = SubmissionProcessor(
            database: database, access: access, records: RecordStore(), loader: WarehouseLoader(),
            openers: KeyOpenerCache(keys: keys),
            admission: StudyAdmission(
                c3pro: c3pro, maximumResources: 100,
                validation: SubmissionValidation(strictness: strictness, profiles: []),
                identifyingData: identifyingData, withdrawalGrace: withdrawalGrace, ownBases: ownBases,
                published: published ?? { study }, clock: clock),
            signatures: signatures, links: links, clock: clock)
        self.clock = clock
    }

    private let clock: @Sendable () -> Date

    func close() async throws {
        try await database.close()
        try await queueStore.close()
        try FileManager.default.removeItem(at: folder)
    }

    /// Registers a new device; its id is also that of its device queue.
    func client() async throws -> String {
        try await DeviceAccess(database: queueStore, clock: clock).registerClient(receiptDigest: UUID().uuidString)
            .clientID
    }

    /// Returns a consumer of the fixture's stores.
    func service(
        owner: String = "test", concurrency: ConsumerConcurrency? = nil, over queue: (any SubmissionQueue)? = nil,
        processing processor: SubmissionProcessor? = nil
    ) -> ConsumerService {
        let path = folder.appendingPathComponent("records.sqlite").path
        return ConsumerService(
            queue: queue ?? self.queue, processor: processor ?? self.processor,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            owner: owner, concurrency: concurrency ?? .alone { try StoreLock(storePath: path) }, clock: clock)
    }

    /// Queues a sealed payload and processes the queue.
    @discardableResult
    func send(
        _ payloads: String..., from client: String, submissionID: String = UUID().uuidString.lowercased(),
        fhirVersion: String = "4.0.1", hint: String? = nil
    ) async throws -> SubmissionOutcome? {
        let header = try SubmissionHeader(
            submissionID: submissionID, sequence: 1, fhirVersion: fhirVersion,
            contentType: payloads.count > 1 ? .batch : .resource)
        let sealed = try SealedEnvelope.seal(
            Data(payloads.joined(separator: "\n").utf8), as: header, to: [keys[0].publicKey])
        return try await enqueue(sealed.bytes, client: client, submissionID: submissionID, hint: hint)
    }

    func sendC3PRO(_ payload: String, from client: String, version: String = "1.0.2") async throws -> SubmissionOutcome?
    {
        guard case .rsa(let key) = keys[1].publicKey else { return nil }
        let sealed = try C3PROEnvelope.seal(Data(payload.utf8), to: key, keyID: "some_key_id", version: version)
        return try await enqueue(
            sealed.bytes, client: client, submissionID: UUID().uuidString.lowercased(), format: .c3pro)
    }

    /// Queues a sealed payload and returns its id.
    func enqueue(
        _ payload: String, from client: String, submissionID: String = UUID().uuidString.lowercased()
    ) async throws -> String {
        let header = try SubmissionHeader(
            submissionID: submissionID, sequence: 1, fhirVersion: "4.0.1", contentType: .resource)
        let sealed = try SealedEnvelope.seal(Data(payload.utf8), as: header, to: [keys[0].publicKey])
        _ = try await queue.enqueue(
            NewSubmission(
                clientID: client, submissionID: submissionID, digest: SecretDigest.hex(of: sealed.bytes), format: .jwe,
                body: sealed.bytes, receivedAt: clock()), quota: nil)
        return submissionID
    }

    func enqueue(
        _ bytes: Data, client: String, submissionID: String, format: SubmissionFormat = .jwe, hint: String? = nil
    ) async throws -> SubmissionOutcome? {
        _ = try await queue.enqueue(
            NewSubmission(
                clientID: client, submissionID: submissionID, digest: SecretDigest.hex(of: bytes), format: format,
                resourceTypeHint: hint, body: bytes, receivedAt: clock()), quota: nil)
        return try await drain()[submissionID]
    }

    /// Processes the queue and returns the outcomes by submission.
    @discardableResult
    func drain() async throws -> [String: SubmissionOutcome] {
        var outcomes: [String: SubmissionOutcome] = [:]
        while true {
            let leased = try await queue.lease(owner: "test", limit: 10, duration: 3_600, now: clock(), isIdle: true)
            guard !leased.isEmpty else { return outcomes }
            for submission in leased {
                let outcome = try await processor.process(submission)
                _ = try await queue.settle(submission, as: outcome, at: clock())
                // The test asks for the first outcome; released submissions are leased again.
                outcomes[submission.submissionID] = outcome
            }
        }
    }

    func count(_ sql: String) async throws -> Int64 {
        try await database.read { try $0.first(sql)?.integerIfPresent("number") ?? -1 }
    }

    var facts: Int64 { get async throws { try await count("SELECT count(*) AS number FROM observation_fact") } }
    var versions: Int64 { get async throws { try await count("SELECT count(*) AS number FROM record_version") } }

    /// The study's consent with each combination of the health data that it may name.
    static let contractTemplates = HealthSelection.Inclusion.allCases.filter(\.needsConsent).map(\.rawValue)
        .reduce([[]]) { sets, name in sets + sets.map { $0 + [name] } }.map { contractTemplate(naming: $0) }

    static func contractTemplate(version: String = "1", naming: [String] = [], state: [String: String] = [:]) -> String
    {
        """
        {"resourceType":"Contract",\(extensions(naming, state))"url":"\(template)","version":"\(version)",\(term(version))}
        """
    }

    private static func extensions(_ naming: [String], _ state: [String: String] = [:]) -> String {
        let names =
            naming.map { #"{"url":"urn:tributary:includes-health-data","valueCode":"\#($0)"}"# }
            + state.sorted { $0.key < $1.key }.map { #"{"url":"urn:tributary:\#($0.key)","valueCode":"\#($0.value)"}"# }
        return names.isEmpty ? "" : "\"extension\":[" + names.joined(separator: ",") + "],"
    }

    private static func term(_ version: String) -> String {
        #"""
        "term":[{"type":{"coding":[{"system":"http://researchkit.org/docs/Constants/ORKConsentSectionType",\#
        "code":"Overview"}]},"text":"Overview \#(version).","offer":{"text":"Overview \#(version)."}}]
        """#
    }

    static func contract(
        _ subject: String, id: String = UUID().uuidString.lowercased(), version: String = "1", naming: [String] = []
    ) -> String {
        """
        {"resourceType":"Contract","id":"\(id)",\(extensions(naming))"status":"executed","instantiatesUri":\
        "\(template)|\(version)",\(term(version)),"signer":[{\
        "type":{"code":"CONSENTER"},"party":{"reference":"Patient/\(subject)"},"signature":[{"type":[{"code":"x"}],\
        "when":"2026-01-01T10:00:00+01:00","who":{"reference":"Patient/\(subject)"}}]}]}
        """
    }

    static func withdrawal(_ subject: String, contract: String) -> String {
        """
        {"resourceType":"Consent","status":"inactive","scope":{"coding":[{"code":"research"}]},"category":[{"coding":[\
        {"code":"x"}]}],"patient":{"reference":"Patient/\(subject)"},"dateTime":"2026-02-01T10:00:00Z",\
        "sourceReference":{"reference":"Contract/\(contract)"}}
        """
    }

    /// The form that ``response(_:answer:)`` answers; an app of DSTU2 refers to it by its id.
    static let form = """
        {"resourceType":"Questionnaire","id":"form","url":"https://example.org/f","version":"1","status":"active","item":[{\
        "linkId":"q","type":"integer"}]}
        """

    static func response(_ subject: String, answer: Int = 1) -> String {
        """
        {"resourceType":"QuestionnaireResponse","status":"completed","questionnaire":"https://example.org/f|1","subject":{\
        "reference":"Patient/\(subject)"},"authored":"2026-01-02T08:00:00+02:00","item":[{"linkId":"q","answer":[\
        {"valueInteger":\(answer)}]}]}
        """
    }

    static let dstu2Response = """
        {"resourceType":"QuestionnaireResponse","status":"completed","questionnaire":{"reference":"form"},"subject":{\
        "reference":"Patient/p1"},"group":{"group":[{"question":[{"linkId":"q","answer":[{"valueInteger":3}]}]}]}}
        """

    static let dstu2Contract = """
        {"resourceType":"Contract","issued":"2015-09-08","applies":{"start":"2015-09-08T10:00:00.48-04:00"},"signer":[{\
        "type":[{"system":"http://hl7.org/fhir/vs/contract-signer-type","code":"1.2.840.10065.1.12.1.7"}],"party":{\
        "reference":"Patient/p1"},"signature":"p1"}]}
        """
}
