import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import Logging
import Outbox
import Storage
import StudyFiles
import StudyOperations
import TributaryServer

/// The whole data path on one machine: a server, two participants, a care plan on two phones with a doctor, and the results.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a demonstration: two participants, a server, FHIR and i2b2.",
        discussion: """
            Creates a development study in a temporary folder from the examples, serves it on loopback, and lets two
            participants consent, answer, export health data and send it. One withdraws at the end and sends once more.
            A person with two phones and a doctor share a care plan.
            With --keep the folder is kept, is created again each time, and has a signed consent, a health report and
            the page of a participant; commands to try on it are printed.

            Example:
              tributary demo --keep demo-study
            """)

    @Option(help: "The folder of the examples.") var examples = "Examples"
    @Option(help: "Keep study and phones in this folder; one of an earlier demonstration is replaced.")
    var keep: String?
    @Option(help: "Keep the queue in this database (postgresql://...), created again each time.") var queue: String?
    @Option(help: "Keep the records in this database, in the same way.") var database: String?
    @Flag(help: "Print one JSON object as the last line.") var json = false

    func validate() throws {
        for url in [queue, database].compactMap({ $0 }) where try StoreLocation(url).path != nil {
            throw ValidationError("--queue and --database take a database: postgresql://USER@HOST:PORT/DATABASE.")
        }
    }

    func run() async throws {
        let location = try DemoFolder.make(keeping: keep)
        defer { location.end() }
        let (folder, antispam) = try await makeStudy(in: location)
        var logger = Logger(label: "demo") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        let server = try StudyServer(folder: folder, options: ServerOptions(port: 0), logger: logger)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let (stop, stopping) = AsyncStream<Void>.makeStream()
        let serving = _Concurrency.Task {
            defer { port.finish() }
            try await server.run(until: stop) { number in port.yield(number) }
        }
        var listening: Int?
        for await number in ports {
            listening = number
            break
        }
        guard let listening else {
            try await serving.value
            throw CommandError("server-not-started", "The server did not start.")
        }
        let url = "http://127.0.0.1:\(listening)"
        CommandOutput.note("server     listening on \(url)")
        var people: [DemoParticipant] = []
        for (index, name) in ["Participant One", "Participant Two"].enumerated() {
            let person = try await DemoParticipant.enrol(
                number: index + 1, name: name, root: location.url, study: folder, url: url, antispam: antispam)
            try await person.takePart(examples: examplesURL)
            people.append(person)
        }
        for person in people { try await person.waitUntilSettled() }
        if let last = people.last { try await last.withdrawAndSendOnceMore(examples: examplesURL) }
        for person in people { try await person.waitUntilSettled() }
        let care = try await DemoCarePlan.play(in: folder, root: location.url, url: url, antispam: antispam)
        let summary = try await DemoSummary.gather(people, care: care, folder: folder)
        stopping.finish()
        try await serving.value
        summary.printTable()
        var results: DemoResults?
        if location.isKept, let first = people.first {
            results = try await showResults(of: first, in: location, study: folder, port: listening)
        } else {
            CommandOutput.result("\nWith --keep FOLDER the study is kept, with results to look at and commands to try.")
        }
        if json { CommandOutput.result(summary.json(with: results).text()) }
        guard summary.addsUp else {
            throw CommandError(
                "demo-does-not-add-up",
                "Sent is not stored + held + refused, not exactly one was refused, or the copies of the plan differ.")
        }
    }

    /// Writes the results for people, and prints what to look at and what to try.
    private func showResults(
        of person: DemoParticipant, in location: DemoFolder, study folder: StudyFolder, port: Int
    ) async throws -> DemoResults {
        let results = try await DemoResults.write(
            of: person, export: examplesURL.appendingPathComponent("apple-health/export.zip"), study: folder,
            in: location.url)
        let lines = location.guide(
            program: CommandLine.arguments.first ?? "tributary", examples: examplesURL, results: results, port: port)
        CommandOutput.result("")
        for line in lines { CommandOutput.result(line) }
        return results
    }

    private var examplesURL: URL { URL(fileURLWithPath: examples, isDirectory: true) }

    private func makeStudy(in location: DemoFolder) async throws -> (StudyFolder, antispam: String) {
        let folder = location.study
        let antispam = UUID().uuidString
        var study = StudyConfiguration(
            id: "demo", title: "Demonstration", bundleIdentifier: "org.example.study", development: true,
            queue: queue, database: database)
        study.accounts = AccountsConfiguration()
        try folder.make(study, antispam: antispam, now: Date())
        try await DemoStores.recreate(StudyStores(folder))
        for name in ["consent", "questionnaires"] {
            let source = examplesURL.appendingPathComponent("study/\(name)")
            guard let files = try? FileManager.default.contentsOfDirectory(atPath: source.path) else {
                throw CommandError(
                    "examples-missing", "There is no \(source.path); start in the project's folder or use --examples.")
            }
            for file in files where file.hasSuffix(".json") {
                try FileManager.default.copyItem(
                    at: source.appendingPathComponent(file),
                    to: folder.url.appendingPathComponent("\(name)/\(file)"))
            }
        }
        CommandOutput.note("study      made, with keys, a consent document and forms")
        return (folder, antispam)
    }
}
