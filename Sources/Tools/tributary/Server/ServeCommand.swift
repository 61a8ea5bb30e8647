import ArgumentParser
import Foundation
import Logging
import TributaryServer

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a study.",
        discussion: """
            Prints `listening on URL` once requests are taken. SIGTERM finishes what is in flight. The log goes to
            standard error and holds no health data.

            Example:
              tributary serve study --port 8080
            """)

    @Argument(help: "The study's folder.") var dir: String
    @Option(help: "The address to listen on.") var bind = "127.0.0.1"
    @Option(help: "The port; 0 lets the system choose.") var port = 8080
    @Option(help: "The TLS certificate chain (PEM).") var tlsCertificate: String?
    @Option(help: "The TLS certificate's private key (PEM).") var tlsKey: String?
    @Option(help: "What this process does: receiver, consumer, records.") var roles = "receiver,consumer,records"
    @Option(help: "The database; sqlite:PATH.") var database: String?
    @Option(help: "What is logged: error, warning, notice, info, debug.") var logLevel = "notice"

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("The port must be from 0 to 65535.") }
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key go together.")
        }
        _ = try parsedRoles()
        guard Logger.Level(rawValue: logLevel) != nil else { throw ValidationError("Unknown log level \(logLevel).") }
    }

    func run() async throws {
        let level = Logger.Level(rawValue: logLevel) ?? .notice
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let folder = StudyFolder(path: dir)
        let options = ServerOptions(
            host: bind, port: port, roles: try parsedRoles(), database: database, certificate: tlsCertificate,
            privateKey: tlsKey)
        let server = try StudyServer(folder: folder, options: options, logger: Logger(label: "tributary"))
        let scheme = tlsCertificate == nil ? "http" : "https"
        let host = bind.contains(":") ? "[\(bind)]" : bind
        try await server.run { port in CommandOutput.result("listening on \(scheme)://\(host):\(port)") }
    }

    private func parsedRoles() throws -> Set<ServerOptions.Role> {
        let names = roles.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let known = names.compactMap { ServerOptions.Role(rawValue: $0) }
        guard known.count == names.count, !known.isEmpty else {
            throw ValidationError("--roles takes receiver, consumer, records, separated by commas.")
        }
        return Set(known)
    }
}
