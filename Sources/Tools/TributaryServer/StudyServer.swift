import Consumer
import FHIR
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOSSL
import Receiver
import Records
import ServiceLifecycle
import Storage
import Trust
import Warehouse
import Wire

/// The composition root: a study's folder and options become running services.
public struct StudyServer: Sendable {
    let folder: StudyFolder
    let study: StudyConfiguration
    let options: ServerOptions
    let logger: Logger
    let clock: @Sendable () -> Date

    public init(
        folder: StudyFolder, options: ServerOptions, logger: Logger, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.folder = folder
        study = try folder.configuration()
        self.options = options
        self.logger = logger
        self.clock = clock
    }

    /// Serves until the process is told to stop (SIGTERM, SIGINT) or the task is cancelled.
    ///
    /// - Parameters:
    ///   - stop: the first element, or its end, stops the server as a signal would.
    ///   - onListening: called once with the port, when requests are taken.
    public func run(
        until stop: AsyncStream<Void>? = nil, onListening: @escaping @Sendable (Int) async -> Void
    ) async throws {
        if study.development {
            logger.warning("DEVELOPMENT STUDY: receipts made by anyone with this folder count. Never for real data.")
        }
        let database = try await StudyDatabase.open(folder, url: options.database)
        let queue = SQLSubmissionQueue(database: database)
        let access = AccessControl(database: database, clock: clock)
        var services: [any Service] = []
        if options.roles.contains(.consumer) {
            services.append(try await consumer(database, queue, access))
        }
        let router = try makeRouter(database, queue, access)
        let application = Application(
            router: router, server: try serverBuilder(),
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port), serverName: nil),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { await onListening(port) }
            },
            logger: logger)
        services.append(application)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        let stopping = stop.map { stop in
            Task {
                for await _ in stop { break }
                // A stream that ends because this task was cancelled says nothing.
                if !Task.isCancelled { await group.triggerGracefulShutdown() }
            }
        }
        defer { stopping?.cancel() }
        try await group.run()
        try await database.close()
    }

    private func makeRouter(
        _ database: any SQLDatabase, _ queue: SQLSubmissionQueue, _ access: AccessControl
    ) throws -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        if options.roles.contains(.receiver) {
            let service = ReceiverService(
                configuration: try receiverConfiguration(), access: access, queue: queue, clock: clock)
            ReceiverRoutes(service: service, logger: logger).add(to: router)
        }
        if options.roles.contains(.records) {
            RecordsRoutes(
                database: database, access: access, logger: logger,
                scheme: options.certificate == nil ? "http" : "https", clock: clock
            ).add(to: router)
        }
        return router
    }

    private func receiverConfiguration() throws -> ReceiverConfiguration {
        guard let antispam = SecretDigest(hex: try folder.antispamHash()) else {
            throw ServerError(code: "antispam-invalid", message: "antispam.sha256 holds no SHA-256 digest.")
        }
        let roots = try folder.receiptRoots(development: study.development).map { try AppReceiptRoot($0) }
        if roots.isEmpty {
            logger.warning("No receipt root in receipt-roots/: no app can register.")
        }
        if folder.publicKeySet() == nil { logger.warning("No jwks.json: make keys with `tributary keys generate`.") }
        let folder = folder
        return ReceiverConfiguration(
            antispam: antispam, bundleIdentifier: study.bundleIdentifier, receiptRoots: roots,
            limits: .init(maximumBodyBytes: study.maximumSubmissionBytes), acceptPlainFHIR: study.acceptPlainFHIR,
            tokenLifetime: TimeInterval(study.tokenLifetime),
            publicKeys: { folder.publicKeySet() ?? PublicKey.jwks([]) },
            questionnaire: { folder.questionnaireFile(id: $0) })
    }

    private func consumer(
        _ database: any SQLDatabase, _ queue: SQLSubmissionQueue, _ access: AccessControl
    ) async throws -> ConsumerService {
        let keys = try folder.keys.privateKeys()
        if keys.isEmpty { logger.warning("No private key in keys/: nothing can be opened.") }
        let templates = folder.resources(in: folder.consentURL, ofType: Contract.resourceType)
        if templates.isEmpty, !study.c3pro {
            logger.warning("No consent document in consent/: every submission will wait.")
        }
        let processor = StudyProcessing.processor(
            folder: folder, study: study, database: database, queue: queue, access: access, clock: clock)
        try await StudyProcessing.loadOntology(folder: folder, database: database, now: clock())
        return ConsumerService(
            queue: queue, database: database, processor: processor, logger: logger, clock: clock)
    }

    private func serverBuilder() throws -> HTTPServerBuilder {
        guard let certificate = options.certificate, let key = options.privateKey else {
            if options.certificate != nil || options.privateKey != nil {
                throw ServerError(code: "tls-incomplete", message: "TLS needs both a certificate and its key.")
            }
            return .http1()
        }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
            let privateKey = try NIOSSLPrivateKey(file: key, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(privateKey))
            configuration.minimumTLSVersion = .tlsv12
            return try .tls(.http1(), tlsConfiguration: configuration)
        } catch {
            throw ServerError(
                code: "tls-unreadable", message: "The certificate or its key cannot be read as PEM, or do not match.")
        }
    }
}
