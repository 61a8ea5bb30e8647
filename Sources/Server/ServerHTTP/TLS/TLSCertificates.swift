import Foundation
import Logging
import NIOSSL
import Synchronization

/// A certificate chain and its private key for new connections. Both are read again when their files change.
///
/// TLS 1.2 and 1.3; with 1.2 only suites of ephemeral elliptic-curve agreement and authenticated encryption
/// (RFC 9325 section 4.2).
package final class TLSCertificates: Sendable {
    private struct State {
        var context: NIOSSLContext
        /// The stamp of the files when they were last read, whether they were good or not.
        var stamp: FileStamp?
        var looked: Duration
    }

    private let certificate: String
    private let key: String
    private let interval: Duration
    private let logger: Logger
    private let now: @Sendable () -> Duration
    private let state: Mutex<State>

    /// - Parameters:
    ///   - certificate: the chain as PEM, the server's own certificate first.
    ///   - key: its private key as PEM, without a password.
    ///   - interval: the minimum time between two checks of the files.
    ///   - logger: reports each reload and each failed reload.
    ///   - now: the time since any fixed instant, by a monotonic clock.
    /// - Throws: `tls-unreadable` if the files are not PEM or do not belong together.
    package init(
        certificate: String, key: String, interval: Duration = .seconds(5), logger: Logger,
        now: @escaping @Sendable () -> Duration
    ) throws(ServerHTTPError) {
        self.certificate = certificate
        self.key = key
        self.interval = interval
        self.logger = logger
        self.now = now
        let stamp = FileStamp(certificate, key)
        state = Mutex(
            State(context: try TLSCertificates.load(certificate, key), stamp: stamp, looked: now()))
    }

    /// Creates the certificates with the system's monotonic clock.
    package convenience init(
        certificate: String, key: String, interval: Duration = .seconds(5), logger: Logger
    ) throws(ServerHTTPError) {
        let start = ContinuousClock.now
        try self.init(
            certificate: certificate, key: key, interval: interval, logger: logger,
            now: { start.duration(to: .now) })
    }

    /// Returns the TLS context for a new connection. If new files are invalid, the old certificate stays in use, and
    /// the error is logged once.
    @inline(never)
    func context() -> NIOSSLContext {
        let now = now()
        return state.withLock { state in
            guard now - state.looked >= interval else { return state.context }
            state.looked = now
            let stamp = FileStamp(certificate, key)
            guard stamp != state.stamp else { return state.context }
            state.stamp = stamp
            do throws(ServerHTTPError) {
                state.context = try TLSCertificates.load(certificate, key)
                logger.info("The TLS certificate was read again.")
            } catch {
                logger.error(
                    "The new TLS certificate is not used; the old one stays.", metadata: ["code": "\(error.code)"])
            }
            return state.context
        }
    }

    private static let suites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    private static func load(_ certificate: String, _ key: String) throws(ServerHTTPError) -> NIOSSLContext {
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate)
            let privateKey = try NIOSSLPrivateKey(file: key, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
            configuration.minimumTLSVersion = .tlsv12
            configuration.cipherSuiteValues = suites
            configuration.applicationProtocols = ["http/1.1"]
            configuration.shutdownTimeout = .seconds(1)
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw ServerHTTPError(
                code: "tls-unreadable",
                message: "The certificate or its key cannot be read as PEM, or do not belong together.")
        }
    }
}

/// A stamp that differs when one of two files has changed.
private struct FileStamp: Equatable {
    private let files: [[Int]]

    /// nil if one of the files does not exist.
    init?(_ paths: String...) {
        var files: [[Int]] = []
        for path in paths {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            #if os(Linux)
                let time = status.st_mtim
            #else
                let time = status.st_mtimespec
            #endif
            files.append([Int(time.tv_sec), Int(time.tv_nsec), Int(status.st_size), Int(clamping: status.st_ino)])
        }
        self.files = files
    }
}
