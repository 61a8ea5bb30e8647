import AccountClient
import ArgumentParser
import FHIR
import Foundation

/// The folder of an account of the command line, and the form of the output.
package struct AccountOptions: ParsableArguments {
    /// Creates the value with its defaults.
    package init() {}

    @Option(help: "The account's folder.") var store: String
    @Flag(help: "Print one JSON value.") var json = false

    private var folder: URL { URL(fileURLWithPath: store, isDirectory: true) }

    /// Returns the client of the account in the folder.
    ///
    /// - Throws: ``CommandError`` `not-signed-in` if the folder contains none.
    func client() throws -> AccountClient {
        // Opening would create the folder, which a mistyped path should not.
        guard FileManager.default.fileExists(atPath: folder.path), let server = try AccountServer.stored(in: folder)
        else { throw notSignedIn }
        return try AccountClient(server: server, folder: folder)
    }

    /// The error of a folder without an account.
    var notSignedIn: CommandError {
        CommandError("not-signed-in", "There is no account in \(store); sign in with `me login` or `me sign-up`.")
    }

    /// Returns a client of a server for the folder, which is created.
    func client(of server: AccountServer) throws -> AccountClient {
        try AccountClient(server: server, folder: folder)
    }

    /// Prints an account.
    func show(_ holder: AccountHolder) {
        guard json else {
            CommandOutput.result("account  \(holder.account)")
            CommandOutput.result("email    \(holder.email)\(holder.isVerified ? "" : " (not verified)")")
            CommandOutput.result("groups   \(holder.groups.joined(separator: ", "))")
            CommandOutput.result("sharing  \(holder.isSharing ? "on" : "off")")
            return
        }
        CommandOutput.result([
            "account": .string(holder.account), "email": .string(holder.email), "verified": .bool(holder.isVerified),
            "groups": .array(holder.groups.map { .string($0) }),
        ])
    }

    /// Prints a JSON value, or lines for people.
    func show(_ value: JSON, lines: [String]) {
        guard !json else { return CommandOutput.result(value) }
        for line in lines { CommandOutput.result(line) }
    }
}

/// The server of a command without a session.
struct AccountServerOptions: ParsableArguments {
    @Option(help: "The address of the server.") var url: String
    @Option(parsing: .unconditional, help: "The server's antispam token.") var antispam: String

    /// - Throws: `AccountClientError` `url-invalid`.
    func server() throws -> AccountServer { try AccountServer(url, antispam: antispam) }
}

extension CommandInput {
    /// Returns the password in a file, its first line; `-` is standard input.
    ///
    /// - Throws: ``CommandError`` `password-invalid` if the file is not UTF-8; `file-unreadable`.
    package static func password(_ path: String) throws -> String {
        guard let text = String(data: try file(path), encoding: .utf8) else {
            throw CommandError("password-invalid", "The file with the password is not UTF-8.")
        }
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first.map(String.init) ?? ""
    }
}
