import ArgumentParser
import DeviceSystem
import FHIR
import Foundation
import Wallet
import Wire

/// The folder of a wallet or an app of the command line, and the form of the output.
struct WalletOptions: ParsableArguments {
    @Option(help: "The folder of the wallet or of the app.") var store: String
    @Flag(help: "Print one JSON value.") var json = false

    private var folder: URL { URL(fileURLWithPath: store, isDirectory: true) }

    /// Returns the wallet in the folder. Throws ``CommandError`` `not-registered` if there is none.
    func wallet() throws -> StoredWallet { StoredWallet(client: try client()) }

    /// Returns the app in the folder. Throws ``CommandError`` `not-registered` if there is none.
    func app() throws -> StoredApp { StoredApp(client: try client()) }

    /// Returns a client of a server for the folder, which is created.
    func client(of server: CsiServer) throws -> CsiClient { try CsiClient(server: server, folder: folder) }

    private func client() throws -> CsiClient {
        // Opening would create the folder, which a mistyped path should not.
        guard FileManager.default.fileExists(atPath: folder.path), let server = try CsiServer.stored(in: folder) else {
            throw CommandError(
                "not-registered",
                "There is no wallet or app in \(store); register one with `wallet register` or `dapp register`.")
        }
        return try client(of: server)
    }

    /// Prints a JSON value, or lines for people.
    func show(_ value: JSON, lines: [String]) {
        guard !json else { return CommandOutput.result(value) }
        for line in lines { CommandOutput.result(line) }
    }

    /// Prints permissions: `{"permissions"}`, or a table.
    func show(_ permissions: [PermissionRecord]) {
        guard !json else { return CommandOutput.result(PermissionsAnswer(permissions: permissions).json) }
        guard !permissions.isEmpty else { return CommandOutput.result("There are no permissions.") }
        CommandOutput.table(
            ["permission", "status", "from", "to", "access", "types", "labels", "begin", "end"],
            permissions.map { permission in
                [
                    permission.id, permission.status.rawValue, permission.grantor.text,
                    permission.grantees.map(\.text).joined(separator: ", "), permission.scope.access.rawValue,
                    permission.scope.types.text, permission.scope.labelText, permission.start.text, permission.end.text,
                ]
            })
    }
}

extension PermissionScope {
    /// The labels for people: the confidentiality and the sensitivities.
    var labelText: String { ([confidentiality] + sensitivities).joined(separator: " ") }
}

extension String? {
    /// The text as JSON, or null.
    var walletJSON: JSON {
        switch self {
        case .some(let text): .string(text)
        case .none: .null
        }
    }
}

/// The address of a server.
struct WalletServerOptions: ParsableArguments {
    @Option(help: "The address of the server.") var url: String

    /// Throws `WalletError` `url-invalid`.
    func server() throws -> CsiServer { try CsiServer(url) }
}

/// The terms of a permission. Values that are absent have defaults.
struct PermissionOptions: ParsableArguments {
    enum Access: String, ExpressibleByArgument, CaseIterable { case read, write }

    @Option(help: "read or write.") var access: Access?
    @Option(help: "Resource types separated by commas, or * for all.") var resource: String?
    @Option(help: "The maximum confidentiality: U, L, M, N, R or V.") var confidentiality: String?
    @Option(help: "Sensitivity codes separated by commas, such as ETH,SOC.") var sensitivity: String?
    @Option(name: .customLong("from"), help: "The beginning: a date or a time; UTC unless it has an offset.")
    var begin: String?
    @Option(name: .customLong("until"), help: "The end: a date or a time; UTC unless it has an offset.")
    var end: String?

    /// - Throws: `ValidationError` for a value of another form.
    func choice() throws -> PermissionChoice {
        var choice = PermissionChoice()
        choice.access = access.map { $0 == .write ? .write : .read }
        if let resource {
            guard let types = PermissionScope.Types(resource) else {
                throw ValidationError("--resource takes different resource types separated by commas, or *.")
            }
            choice.types = types
        }
        choice.confidentiality = confidentiality
        choice.sensitivities = sensitivity.map { $0.split(separator: ",").map(String.init) }
        choice.start = try CommandInput.instant(begin, "--from")
        choice.end = try CommandInput.instant(end, "--until")
        return choice
    }
}

/// The guid in an argument.
enum WalletArguments {
    /// - Throws: `ValidationError`.
    static func guid(_ text: String) throws -> CsiGuid {
        guard let guid = CsiGuid(text) else {
            throw ValidationError("A guid has \(CsiGuid.length) letters, digits and -.")
        }
        return guid
    }
}

extension CsiRegistrationResult {
    /// `{"csiGuid","deviceId","open"}`.
    var json: JSON {
        ["csiGuid": (csi?.text).walletJSON, "deviceId": deviceID.walletJSON, "open": open.walletJSON]
    }

    /// The lines for people.
    func lines(of noun: String) -> [String] {
        var lines: [String] = []
        if let csi, let deviceID {
            lines = ["\(noun)     \(csi.text)", "device  \(deviceID)"]
        }
        if let open { lines.append("open    \(open)") }
        return lines
    }
}
