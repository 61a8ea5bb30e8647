import AccessPolicy
import Audit
import Authorization
import BulkExport
import CareSync
import Consumer
import DeviceGateway
import Enrolments
import FHIR
import FHIRServer
import Foundation
import Hummingbird
import Identity
import InformedConsent
import Logging
import Permissions
import Receiver
import ServerHTTP
import ServiceLifecycle
import Storage
import StudyFiles
import StudyKeys
import StudyOperations
import Submissions
import Warehouse
import Wire

/// The composition root: creates running services from a study's folder and options.
///
/// A receiver opens only the queue's store. A consumer opens both, the FHIR API only the records' store.
package struct StudyServer: Sendable {
    let folder: StudyFolder
    let study: StudyConfiguration
    let options: ServerOptions
    let logger: Logger
    let clock: @Sendable () -> Date
    /// The public address of the server.
    let address: PublicAddress

    package init(
        folder: StudyFolder, options: ServerOptions, logger: Logger, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.folder = folder
        study = try folder.configuration()
        address = try Self.address(options, study)
        self.options = options
        self.logger = logger
        self.clock = clock
    }

    /// Serves until SIGTERM, SIGINT or the cancellation of the task.
    ///
    /// - Parameters:
    ///   - stop: the first element, or its end, stops the server as a signal does.
    ///   - onMonitoring: called once with the port of the monitoring, before `onListening`.
    ///   - onListening: called once with the port, when the server accepts requests.
    package func run(
        until stop: AsyncStream<Void>? = nil, onMonitoring: @escaping @Sendable (Int) async -> Void = { _ in },
        onListening: @escaping @Sendable (Int) async -> Void
    ) async throws {
        for listener in [options.monitor, .init(host: options.host, port: options.port)] {
            try listener?.requireFree()
        }
        if study.development {
            logger.warning("DEVELOPMENT STUDY: receipts made by anyone with this folder count. Never for real data.")
        }
        try StudyCheck(folder).requireContents()
        reportKeys()
        if options.roles.contains(.consumer) { StudyBackupStaging.removeAbandoned(of: folder) }
        Descriptors.prepare()
        // 1. Open and migrate the stores that the roles need.
        let stores = try StudyStores(
            folder, queue: options.queue, database: options.database, people: options.people)
        let registry = PrometheusRegistry()
        let reserves = [stores.queue.path, stores.records.path, opensPeople(stores) ? stores.people?.path : nil]
            .compactMap { $0.map { DiskReserve(store: $0) } }
        for reserve in reserves where reserve.releaseIfFull() {
            logger.error("The disk of a store is full. The server starts with the reserve; free some space.")
        }
        let opened = try await open(stores, registry)
        for reserve in reserves { reserve.keep() }
        // 2. Start the services. The last one is stopped first.
        let progress = ConsumerProgress(clock: clock)
        let openers = KeyOpenerCache(folder: folder.keys)
        let readiness = ServerReadiness(
            stores: stores, queue: opened.queue, records: opened.records, people: opened.people, openers: openers,
            roles: options.roles, progress: progress, clock: clock)
        readiness.register(in: registry)
        registry.registerProcessGauges()
        let (monitoring, monitor) = AsyncStream<Int>.makeStream()
        var services: [any Service] = [
            try MonitoringServer(
                address: options.monitor ?? .init(host: "127.0.0.1", port: 0), registry: registry,
                trustedProxies: options.trustedProxies, logger: logger, readiness: { await readiness.problems() },
                onListening: { monitor.yield($0) })
        ]
        let sealing = opened.records.map { records in
            AuditSealing(
                keeper: AuditKeeper(database: records, anchors: folder.auditAnchorsURL, clock: clock), logger: logger)
        }
        if let sealing { services.append(sealing) }
        if options.roles.contains(.consumer), let submissions = opened.submissions, let records = opened.records {
            services.append(
                try await consumer(
                    submissions, records: records, stores: stores, openers: openers, progress: progress))
            services.append(OntologyKeeping(folder: folder, records: records, logger: logger, clock: clock))
            services.append(PublishedRecordKeeping(folder: folder, records: records, logger: logger, clock: clock))
            if case .replicated(let replica) = stores.warehouse {
                services.append(WarehouseReplication(replica: replica, records: records, logger: logger))
            }
            services.append(KeyPublishing(keys: folder.keys, study: study.id, logger: logger, clock: clock))
        }
        let work = AccountWork()
        services += try accountServices(opened, stores: stores, registry: registry, work: work)
        let exports = exports(opened)
        if let exports { services.append(BulkExports(exports: exports, logger: logger)) }
        let gateway = gateway(opened)
        if let gateway { services.append(DeviceEvents(worker: gateway, logger: logger)) }
        let refusals = refusalCounter(opened)
        let serverLogger = logger
        let bodies = BodyBudget(bytes: limits.bodyBytes)
        let server = try HTTPServer(
            responder: try makeDispatcher(
                opened, refusals: refusals, bodies: bodies, exports: exports, gateway: gateway, work: work,
                hasRoom: roomForRecords(stores)),
            address: .init(host: options.host, port: options.port),
            limits: limits, certificates: try certificates(), trustedProxies: options.trustedProxies,
            metrics: registry, logger: serverLogger,
            onListening: { [address] port in
                address.listen(at: listeningURL(port: port))
                for await number in monitoring {
                    await onMonitoring(number)
                    break
                }
                await onListening(port)
            })
        registry.register(server, bodies: bodies)
        services.append(server)
        services.append(AccountWaitsEnding(waits: work.waits))
        // 3. Run until stopped.
        let group = ServiceGroup.bounded(services, logger: logger)
        let stopping = stop.map { stop in
            _Concurrency.Task {
                for await _ in stop { break }
                // The end of a stream because of the cancellation of this task is no stop request.
                if !_Concurrency.Task.isCancelled { await group.triggerGracefulShutdown() }
            }
        }
        defer { stopping?.cancel() }
        try await group.run()
        await refusals?.flush()
        await sealing?.seal()
        try await opened.queue?.close()
        try await opened.records?.close()
        try await opened.people?.close()
    }

    /// The open stores.
    struct OpenStores: Sendable {
        var queue: (any SQLDatabase)?
        /// Shared by all roles, so that concurrent writes of receiver and consumer are one transaction.
        var submissions: SQLSubmissionQueue?
        var records: (any SQLDatabase)?
        var state: QueueState?
        /// The people store, for the role `accounts` and for the deletions of the consumer.
        var people: (any SQLDatabase)?
    }

    /// Returns the counter of refused requests, if this process has the queue's store.
    func refusalCounter(_ opened: OpenStores) -> RefusalCounter? {
        opened.queue.map { RefusalCounter(database: $0, clock: clock) }
    }

    /// Opens and migrates the stores that the roles need.
    func open(_ stores: StudyStores, _ registry: PrometheusRegistry) async throws -> OpenStores {
        func waits(_ store: String) -> @Sendable (Duration) -> Void {
            let timer = registry.makeTimer(label: "tributary_store_wait", dimensions: [("store", store)])
            return { wait in
                let (seconds, attoseconds) = wait.components
                timer.recordNanoseconds(seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
            }
        }
        var opened = OpenStores()
        if !options.roles.isDisjoint(with: [.consumer, .records, .authorization, .gateway]) {
            try await stores.migrateRecords()
            let records = try await stores.openRecords(purpose: .recording, onWait: waits("records"))
            if options.roles.contains(.authorization) {
                try await CsiStore.prepare(AuditLog(database: records, clock: clock))
            }
            opened.records = records
        }
        if opensPeople(stores) {
            try await stores.migratePeople()
            opened.people = try await stores.openPeople(onWait: waits("people"))
        }
        if options.roles.contains(.consumer) || options.roles.contains(.receiver) {
            if let records = opened.records, options.roles.contains(.consumer) {
                try await stores.requireQueueOfRecords(records)
            }
            try await stores.migrateQueue()
            let queue = try await stores.openQueue(onWait: waits("queue"))
            opened.queue = queue
            opened.submissions = SQLSubmissionQueue(database: queue, clock: .ofDatabase)
            opened.state = try await StudyStores.claim(
                queue: queue, records: options.roles.contains(.consumer) ? opened.records : nil, studyID: study.id)
        }
        return opened
    }

    /// The limits for the study's largest body, with memory for several at a time.
    private var limits: HTTPLimits {
        var limits = HTTPLimits()
        limits.bodyBytes = max(64 << 20, study.maximumSubmissionBytes * 4)
        return limits
    }

    /// Returns the dispatcher of the modules that the roles need.
    func makeDispatcher(
        _ opened: OpenStores, refusals: RefusalCounter?, bodies: BodyBudget, exports: Exports?,
        gateway: GatewayWorker?, work: AccountWork, hasRoom: @escaping @Sendable () -> Bool
    ) throws -> RequestDispatcher {
        let limiter = RateLimiter(limits: study.rates)
        let access = opened.records.map { AccessStores(database: $0, clock: clock) }
        var (devices, clients) = ([RouteTable](), [RouteTable]())
        if options.roles.contains(.receiver), let queue = opened.queue, let submissions = opened.submissions,
            let refusals
        {
            devices.append(
                ReceiverRoutes(
                    configuration: try receiverConfiguration(
                        opened, limiter: limiter, bodies: bodies, staff: access),
                    access: DeviceAccess(database: queue, clock: clock), queue: submissions, refusals: refusals,
                    clock: clock
                ).table)
        }
        if let accounts = try accountRoutes(opened, limiter: limiter, bodies: bodies, refusals: refusals, work: work) {
            clients.append(accounts.table)
            clients.append(CareRoutes(accounts: accounts).table)
        }
        if let gateway, let records = opened.records {
            devices.append(
                gatewayRoutes(gateway, records: records, limiter: limiter, bodies: bodies, refusals: refusals).table)
        }
        let authorization = try authorizationRoutes(
            opened, access: access, limiter: limiter, bodies: bodies, refusals: refusals)
        if let authorization { clients.append(authorization.table) }
        let records = recordsRoutes(
            opened, access: access, limiter: limiter, bodies: bodies, refusals: refusals, exports: exports,
            hasRoom: hasRoom)
        if let records { clients += records.tables }
        clients += permissionTables(
            authorization: authorization, records: records, access: access, limiter: limiter, bodies: bodies,
            refusals: refusals)
        return RequestDispatcher(devices: devices, clients: clients, surroundings: records?.surroundings ?? [])
    }

    /// Whether the disk of the records has space. The disk of a database server is not checked.
    private func roomForRecords(_ stores: StudyStores) -> @Sendable () -> Bool {
        guard let reserve = stores.records.path.map({ DiskReserve(store: $0) }) else { return { true } }
        return { reserve.hasRoom }
    }

    private func recordsRoutes(
        _ opened: OpenStores, access: AccessStores?, limiter: RateLimiter, bodies: BodyBudget,
        refusals: RefusalCounter?, exports: Exports?, hasRoom: @escaping @Sendable () -> Bool
    ) -> RecordsRoutes? {
        guard options.roles.contains(.records), let records = opened.records, let access else { return nil }
        var oauthURIs: (@Sendable () -> JSON)?
        if options.roles.contains(.authorization) {
            oauthURIs = { [address] in AuthorizationAddresses(base: address.url).oauthURIs }
        }
        return RecordsRoutes(
            database: records, access: access, address: address,
            scheme: options.certificate == nil ? "http" : "https",
            limiter: limiter, bodies: bodies, published: PublishedDefinitions.all,
            refusals: { await refusals?.count($0) }, devices: opened.queue.map(devices),
            hasReceiver: options.roles.contains(.receiver),
            admission: StudyProcessing.admission(folder: folder, study: study, records: records, clock: clock),
            maximumBodyBytes: max(4 << 20, study.maximumSubmissionBytes),
            writtenBytesPerDay: study.writtenBytesPerDay, hasRoom: hasRoom, exports: exports,
            oauthURIs: oauthURIs, title: study.title, version: TributaryVersion.text,
            clock: clock)
    }

    /// Returns the exports of the FHIR API; nil if their folder cannot be used. Then everything else is served.
    private func exports(_ opened: OpenStores) -> Exports? {
        guard options.roles.contains(.records), let records = opened.records else { return nil }
        do {
            return Exports(
                database: records, access: AccessStores(database: records, clock: clock),
                folder: try ExportFolder(folder.exportsURL), limits: study.exports, clock: clock)
        } catch {
            logger.error(
                "no exports: the folder cannot be used",
                metadata: ["code": "\((error as? any CodedError)?.code ?? "failed")"])
            return nil
        }
    }

    private func devices(of queue: any SQLDatabase) -> @Sendable (String) async throws -> Actor? {
        let access = DeviceAccess(database: queue, clock: clock)
        return { try await access.authenticate(bearer: $0) }
    }

    private func receiverConfiguration(
        _ opened: OpenStores, limiter: RateLimiter, bodies: BodyBudget, staff: AccessStores?
    ) throws -> ReceiverConfiguration {
        let roots = try folder.receiptRoots(development: study.development).map { try AppReceiptRoot($0) }
        if roots.isEmpty, study.enrolment.contains(.receipt) {
            logger.warning("No receipt root in receipt-roots/: no app can enrol with a receipt.")
        }
        if try FileAccess.contents(of: folder.publicKeysURL) == nil {
            logger.warning("No jwks.json: make keys with `tributary keys generate`.")
        }
        let folder = folder
        let consents = PublishedFiles(folder.consentFiles.folders) {
            PublishedConsents(folder.consents()).bundle.resource.json.data()
        }
        let library = PublishedFiles([folder.questionnairesURL, folder.consentURL]) { PublishedLibrary(folder) }
        let health = PublishedFiles([folder.healthTypesURL, folder.healthSyncURL]) { last in
            PublishedHealthFiles(folder, last: last)
        }
        var authenticateStaff: (@Sendable (String) async throws -> Actor?)?
        if options.roles.contains(.records), let staff {
            authenticateStaff = { try await staff.tokens.authenticate(bearer: $0) }
        }
        return ReceiverConfiguration(
            antispam: try antispam(), bundleIdentifier: study.bundleIdentifier, receiptRoots: roots,
            enrolment: study.enrolment,
            limits: .init(
                maximumBodyBytes: study.maximumSubmissionBytes, heldBytesPerDevice: study.heldBytesPerDevice),
            limiter: limiter, bodies: bodies, acceptC3PRO: study.c3pro.isAccepted,
            acceptPlainFHIR: study.acceptPlainFHIR, tokenLifetime: TimeInterval(study.tokenLifetime),
            epoch: opened.state?.epoch ?? 1, study: study.id, authenticateStaff: authenticateStaff,
            publicKeys: { folder.publicKeySet() ?? PublicKey.jwks([]) },
            signedKeys: { FileManager.default.contents(atPath: folder.keys.signedSetURL.path) },
            published: .init(
                read: { await library.value().read(type: $0, id: $1, in: $2) },
                search: { await library.value().search($0) }),
            address: address, scheme: options.certificate == nil ? "http" : "https",
            consents: { await consents.value() }, healthFile: { await health.value().file($0) })
    }

    private func consumer(
        _ queue: SQLSubmissionQueue, records: any SQLDatabase, stores: StudyStores, openers: KeyOpenerCache,
        progress: ConsumerProgress
    ) async throws -> ConsumerService {
        if folder.contracts().isEmpty, !study.c3pro.acceptsContractsWithoutTerms {
            logger.warning("No consent document in consent/: every submission will wait.")
        }
        let processor = StudyProcessing.processor(
            folder: folder, study: study, records: records,
            access: EnrolmentStore(database: records, clock: clock), openers: openers, clock: clock)
        // Links that were restored from a copy may belong to participants who have been deleted since.
        do {
            try await stores.migrateLinks()
            try await stores.withLinks { links in
                if let links { try await StudyLinks.forgetDeleted(in: links, records: records) }
            }
        } catch {
            // Other data of participants is accepted nevertheless; a received link waits.
            logger.error("links unavailable", metadata: ["code": "\((error as? any CodedError)?.code ?? "failed")"])
        }
        try await StudyOntology(folder).write(to: records, now: clock())
        if try await records.read({ try Deidentification.recorded(in: $0) }) != study.deidentification {
            logger.warning(
                "the facts do not follow the deidentification of study.json; run `tributary warehouse load`",
                metadata: ["code": "deidentification-changed"])
        }
        return ConsumerService(
            queue: queue, processor: processor, logger: logger, concurrency: ConsumerConcurrency(stores),
            arrivals: queue.arrivals(), clock: clock,
            progress: { progress.record() })
    }

    /// Returns the digest of the study's antispam word.
    func antispam() throws -> SecretDigest {
        guard let antispam = SecretDigest(hex: try folder.antispamHash()) else {
            throw ServerError(code: "antispam-invalid", message: "antispam.sha256 holds no SHA-256 digest.")
        }
        return antispam
    }

    private func certificates() throws -> TLSCertificates? {
        guard let certificate = options.certificate, let key = options.privateKey else {
            if options.certificate != nil || options.privateKey != nil {
                throw ServerError(code: "tls-incomplete", message: "TLS needs both a certificate and its key.")
            }
            return nil
        }
        for file in [certificate, key] { try FileAccess.require(URL(fileURLWithPath: file)) }
        return try TLSCertificates(certificate: certificate, key: key, logger: logger)
    }
}

extension ConsumerConcurrency {
    /// Consumers may run concurrently if both stores are on servers; a file allows one at a time.
    init(_ stores: StudyStores) {
        guard let path = stores.records.path ?? stores.queue.path else {
            self = .concurrent
            return
        }
        self = .alone { try StoreLock(storePath: path) }
    }
}
