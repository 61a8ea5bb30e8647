import ArgumentParser
import DeviceCommands
import Foundation
import Logging
import ServerHTTP
import StudyFiles
import TributaryServer

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a study.",
        discussion: """
            Prints `monitoring on URL` and `listening on URL` when requests are accepted. Plain HTTP is served only on
            loopback, or after a named proxy. SIGTERM completes the requests in flight. The log is written to standard
            error and contains no health data.

            Example:
              tributary serve study --port 8080
            """)

    @Argument(help: "The study's folder.") var dir: String
    @Option(help: "The address to listen on.") var bind = "127.0.0.1"
    @Option(help: "The port; 0 lets the system choose.") var port = 8080
    @Option(help: "The TLS certificate chain (PEM).") var tlsCertificate: String?
    @Option(help: "The TLS certificate's private key (PEM).") var tlsKey: String?
    @Option(help: "The roles of this process: receiver, consumer, records, authorization, gateway, accounts.")
    var roles = "receiver,consumer,records,authorization,gateway,accounts"
    @Option(help: "The public URL of the server, such as https://study.example; in study.json: publicURL.")
    var publicURL: String?
    @Option(help: "The queue's database: a path, sqlite:PATH or postgresql://...; a receiver opens only this one.")
    var queue: String?
    @Option(help: "The records' database, in the same format.") var database: String?
    @Option(help: "The people store's database, in the same format; for a study with accounts.")
    var peopleDatabase: String?
    @Option(help: "Listen for GET /livez, /readyz and /metrics at HOST:PORT; a free loopback port otherwise.")
    var monitor: String?
    @Option(
        name: .customLong("behind-proxy"),
        help: ArgumentHelp(
            "The proxy that terminates TLS: an address or network whose X-Forwarded-For is used; repeatable.",
            valueName: "behind-proxy"))
    var trustedProxies: [String] = []
    @Option(help: "The format of the log: text or json.") var logFormat: LogFormat = .text

    enum LogFormat: String, ExpressibleByArgument, CaseIterable { case text, json }
    @Option(help: "The level of the log: error, warning, notice, info, debug.") var logLevel = "notice"

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
        let format = logFormat
        LoggingSystem.bootstrap { label in
            var handler: any LogHandler =
                format == .json ? JSONLogHandler(label: label) : StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let folder = StudyFolder(path: dir)
        let options = ServerOptions(
            host: bind, port: port, roles: try parsedRoles(), queue: queue, database: database, people: peopleDatabase,
            trustedProxies: try trustedProxies.map { try IPNetwork($0) }, monitor: try monitor.map(Self.address),
            certificate: tlsCertificate, privateKey: tlsKey, publicURL: publicURL)
        let server = try StudyServer(folder: folder, options: options, logger: Logger(label: "tributary"))
        let scheme = tlsCertificate == nil ? "http" : "https"
        let host = bind.contains(":") ? "[\(bind)]" : bind
        let monitorHost = options.monitor?.host ?? "127.0.0.1"
        try await server.run(
            onMonitoring: { port in CommandOutput.result("monitoring on http://\(Self.written(monitorHost)):\(port)") },
            onListening: { port in CommandOutput.result("listening on \(scheme)://\(host):\(port)") })
    }

    private static func written(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    /// Parses `HOST:PORT`, with an IPv6 address in brackets.
    private static func address(_ text: String) throws -> HTTPServer.Address {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port), colon != text.startIndex
        else { throw ValidationError("--monitor takes HOST:PORT.") }
        return HTTPServer.Address(host: text[..<colon].trimmingCharacters(in: ["[", "]"]), port: port)
    }

    private func parsedRoles() throws -> Set<ServerOptions.Role> {
        let names = roles.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let known = names.compactMap { ServerOptions.Role(rawValue: $0) }
        guard known.count == names.count, !known.isEmpty else {
            throw ValidationError(
                "--roles takes receiver, consumer, records, authorization, gateway, accounts, separated by commas.")
        }
        guard !known.contains(.gateway) || !known.contains(.receiver) || known.contains(.consumer) else {
            throw ValidationError(
                "A receiver without a consumer opens no records, so it cannot have the role gateway.")
        }
        return Set(known)
    }
}
