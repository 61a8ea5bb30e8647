import Admission
import ArgumentParser
import Consumer
import DeviceCommands
import FHIR
import Foundation
import Storage
import StudyFiles
import StudyOperations
import Warehouse

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create a study's folder, with keys.",
        discussion: """
            Creates study.json, consent/, questionnaires/, keys/, queue/ and data/, with drafts of a consent and of a
            form: a file is published when its name no longer ends with .draft. --example makes a study that works at
            once: its devices enrol with a code (`participant invite`), and answers/ has answers to try. --from makes
            one with the files of another folder (consent/, questionnaires/, profiles/, devices/, health-types.json,
            health-sync.json). Both are checked. An existing study is never changed; if the command fails, nothing is
            left. --group names the group of the accounts that share the folder, if the receiver runs with its own
            account: it can read the published files and use queue/, but no key and no record.

            Example:
              tributary init sleep-study --id sleep-study --title "Sleep and mood"
              tributary init trial --example --development
              tributary init /srv/study --bundle-identifier org.example.study --group tributary-queue
            """)

    @Argument(help: "The folder to make.")
    var dir: String

    @Option(
        parsing: .unconditional,
        help: "The antispam token that the study's app sends; without it, a random one is printed once.")
    var antispam: String?

    @Option(help: "The study's id: letters, digits, - and .; the folder's name unless given.")
    var id: String?

    @Option(help: "The study's title.")
    var title: String?

    @Option(help: "The bundle identifier that an app's receipt must name: org.example.study, but none with --example.")
    var bundleIdentifier: String?

    @Option(help: "The queue's database: a path, sqlite:PATH or postgresql://...; in the folder by default.")
    var queue: String?

    @Option(help: "The records' database, in the same format.")
    var database: String?

    @Option(help: "The group of the accounts that share the folder, such as tributary-queue.")
    var group: String?

    @Flag(help: "Begin with the example study: a consent, two forms, and the health data to follow.")
    var example = false

    @Option(help: "Begin with the consent, the forms and the settings of this folder.", completion: .directory)
    var from: String?

    @Flag(help: "Make accounts of identified people: a people store, and \"accounts\" in study.json.")
    var accounts = false

    @Flag(help: "Accept C3-PRO's apps: their envelopes, and their Contracts if consent/ has their text.")
    var c3pro = false

    @Flag(help: "Trust receipts made by `tributary app-receipt make`. Never for real data.")
    var development = false

    @Flag(help: "Print one JSON value.")
    var json = false

    func run() async throws {
        let folder = StudyFolder(path: dir)
        let name = id ?? String(folder.url.lastPathComponent.map { Self.isAllowed($0) ? $0 : "-" })
        guard Resource.isID(name) else {
            throw ValidationError("The study's id must be up to 64 letters, digits, - and . (--id).")
        }
        if let antispam, antispam.utf8.count < 8 {
            throw ValidationError("The antispam token must have at least 8 characters.")
        }
        guard !example || from == nil else {
            throw ValidationError("--example and --from exclude each other.")
        }
        let contents =
            try from.map { try StudyContents(of: URL(fileURLWithPath: $0, isDirectory: true)) }
            ?? (example ? .example : .starting)
        let token = antispam ?? Self.randomToken()
        var configuration = StudyConfiguration(
            id: name, title: title ?? name, bundleIdentifier: bundleIdentifier ?? (example ? nil : "org.example.study"),
            c3pro: C3PROAcceptance(isAccepted: c3pro), development: development, queue: try queue.map(Self.location),
            database: try database.map(Self.location), deidentification: Deidentification(isPseudonymous: true))
        // Devices of the example enrol without an app of an app store.
        if example { configuration.enrolment.insert(.invitation) }
        if accounts { configuration.accounts = AccountsConfiguration() }
        try await StudyMaking(folder, configuration, group: group, contents: contents).run(antispam: token, now: Date())
        if development {
            CommandOutput.note(
                "WARNING: a development study: anyone with this folder can make receipts. Never use it for real data."
            )
        }
        let fingerprint = try folder.keys.rootKey()?.publicKey.keyID
        if json {
            CommandOutput.result([
                "study": .string(folder.url.path), "id": .string(name),
                "root": fingerprint.map { .string($0) } ?? .null,
                "antispam": antispam == nil ? .string(token) : .null, "development": .bool(development),
                "files": .array(contents.files.map { .string($0.path) }),
                "next": .array(next(contents).map { .string($0) }),
            ])
        } else {
            let drafts = contents.isComplete ? "" : " Complete the drafts in consent/ and questionnaires/."
            CommandOutput.note("Made the study \(name).\(drafts) Next:")
            for command in next(contents) { CommandOutput.note("  \(command)") }
            if let fingerprint {
                CommandOutput.note(
                    "The fingerprint of the study's root key, for the app (device enrol --root): \(fingerprint)")
            }
            if antispam == nil {
                CommandOutput.note("The antispam token for your app, shown only once:")
                CommandOutput.result(token)
            }
        }
    }

    /// Returns the next three commands.
    private func next(_ contents: StudyContents) -> [String] {
        let study = DemoFolder.typed(dir)
        guard contents.isComplete else {
            let draft = DemoFolder.typed("\(dir)/consent/consent.md.draft")
            let consent = DemoFolder.typed("\(dir)/consent/consent.md")
            return ["mv \(draft) \(consent)", "tributary study check \(study)", "tributary serve \(study)"]
        }
        // Devices of the example enrol with a code.
        let first = example ? "tributary participant invite \(study)" : "tributary consent show \(study)"
        return [first, "tributary study check \(study)", "tributary serve \(study)"]
    }

    /// Returns a location for study.json: a path relative to the current folder is a different one relative to the
    /// study's folder.
    private static func location(_ option: String) throws -> String {
        let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
        return try StoreLocation(option, below: here).description
    }

    private static func isAllowed(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "-" || character == ".")
    }

    /// Returns 32 letters and digits, without characters that a shell or an option parser interprets.
    private static func randomToken() -> String {
        let characters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        var generator = SystemRandomNumberGenerator()
        return String((0..<32).compactMap { _ in characters.randomElement(using: &generator) })
    }
}
