import AccountClient
import CarePlans
import CareStores
import FHIR
import Foundation

/// Two phones of one person and a doctor, who share a care plan. `tributary demo` plays it.
package struct CareDemonstration: Sendable {
    /// The e-mail addresses of the person and of the doctor.
    package static let emails = (person: "ann@example.org", doctor: "dora@example.org")

    /// The state of the copies at the end.
    package struct Result: Sendable, Hashable {
        /// The number of versions in each copy: phone 1, phone 2, doctor.
        package let versions: [Int]
        /// The number of conflicts that the server resolved.
        package let resolved: Int
        /// The number of events of the first day, and of those with an outcome.
        package let due: Int
        package let done: Int
        /// The title that the doctor gave to the task, as phone 1 shows it.
        package let title: String
        /// Whether all copies are equal.
        package let isEqual: Bool

        /// Whether nothing is missing: all copies are equal, with one resolved conflict and the doctor's change.
        package var addsUp: Bool { isEqual && resolved == 1 && done == 1 && title == CareDemonstration.newTitle }

        package var json: JSON {
            [
                "versions": .array(versions.map { .number(JSONNumber($0)) }),
                "resolved": .number(JSONNumber(resolved)), "due": .number(JSONNumber(due)),
                "done": .number(JSONNumber(done)), "title": .string(title), "equal": .bool(isEqual),
            ]
        }
    }

    static let newTitle = "Walk for 30 minutes"
    private static let day = "2026-11-02"

    private let server: AccountServer
    private let folder: URL
    private let password = UUID().uuidString

    /// Creates the people of the demonstration. Their folders are below the folder.
    package init(url: String, antispam: String, folder: URL) throws {
        server = try AccountServer(url, antispam: antispam)
        self.folder = folder
    }

    /// Lets the people act.
    ///
    /// - Parameter code: the code of the mail to the doctor, whose account exists with the role of a care team.
    package func play(code: String) async throws -> Result {
        // 1. One person with two phones, and a doctor with an own folder.
        let first = try client("care-phone-1")
        let account = try await first.signUp(email: Self.emails.person, password: password).account
        let second = try client("care-phone-2")
        try await second.login(email: Self.emails.person, password: password)
        let doctor = try client("care-doctor")
        try await doctor.resetPassword(code: code, newPassword: password)
        try await doctor.login(email: Self.emails.doctor, password: password)
        // 2. The plan begins on phone 1. Both phones complete the same event without a network.
        let one = try await store(of: account, for: first)
        let two = try await store(of: account, for: second)
        try await one.add([Self.task])
        try await one.sync()
        try await two.sync()
        CommandOutput.note("care       phone 1 added a task, phone 2 has it")
        try await one.recordOutcome(task: "walk", occurrence: 0, values: [20])
        try await two.recordOutcome(task: "walk", occurrence: 0, values: [25])
        try await one.sync()
        var resolved = try await two.sync().resolved
        CommandOutput.note("care       both phones completed the same event, and the server resolved it")
        // 3. The doctor changes the plan from the next day on.
        let plans = TeamPlans(client: doctor)
        try await plans.pull { report in
            guard report.failed.isEmpty else {
                throw CommandError("demo-plan-failed", "The doctor has no copy of the plan.")
            }
        }
        let three = try await plans.store(of: account)
        var task = Self.task
        if var object = task["object"] {
            object["title"] = .string(Self.newTitle)
            object["effectiveDate"] = "2026-11-03T00:00:00Z"
            task["object"] = object
        }
        try await three.update([task])
        try await three.sync()
        CommandOutput.note("care       the doctor changed the task")
        for store in [one, two] { resolved += try await store.sync().resolved }
        return try await result([one, two, three], resolved: resolved)
    }

    private func result(_ stores: [CarePlanStore], resolved: Int) async throws -> Result {
        var copies: [[CareEntity]] = []
        for store in stores { copies.append(await store.versions()) }
        let day = CareDay(Self.day) ?? CareDay(number: 0)
        let adherence = try await stores[0].adherence(from: day, to: day)
        let title = await stores[0].entities(.task).first?.object["title"]?.string
        let sets = copies.map { Set($0) }
        // Phone 1 and phone 2 received the same resolution.
        return Result(
            versions: copies.map(\.count), resolved: resolved / 2, due: adherence.first?.due ?? 0,
            done: adherence.first?.done ?? 0, title: title ?? "", isEqual: sets.allSatisfy { $0 == sets[0] })
    }

    private func client(_ name: String) throws -> AccountClient {
        try AccountClient(server: server, folder: folder.appendingPathComponent(name, isDirectory: true))
    }

    private func store(of account: String, for client: AccountClient) async throws -> CarePlanStore {
        let server = AccountCareServer(client: client, patient: account)
        return try await CarePlanStore(patient: account, folder: client.plansFolder, server: server)
    }

    /// A walk each day at 8 o'clock in Zurich.
    private static let task: JSON = [
        "type": "task",
        "object": [
            "id": "walk", "title": "Walk for 20 minutes", "impactsAdherence": true,
            "effectiveDate": "2026-11-01T00:00:00Z",
            "schedule": [
                "elements": [
                    [
                        "start": "2026-11-02T08:00:00+01:00", "interval": ["day": 1],
                        "duration": ["isAllDay": false, "seconds": 1200], "targetValues": [],
                        "calendar": [
                            "identifier": "gregorian", "current": 0, "firstWeekday": 2, "minimumDaysInFirstWeek": 4,
                            "locale": ["identifier": "", "current": 0],
                            "timeZone": ["identifier": "Europe/Zurich"],
                        ],
                    ]
                ]
            ],
        ],
    ]
}
