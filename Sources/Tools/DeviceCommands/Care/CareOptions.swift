import AccountClient
import ArgumentParser
import CarePlans
import CareStores
import FHIR
import Foundation

/// The account and the patient of a `care` command.
struct CareOptions: ParsableArguments {
    @OptionGroup var account: AccountOptions
    @Option(help: "The patient, for a member of a team; without it the plan is the account's own.") var patient: String?

    /// Opens the copy of the plan in the account's folder. One's own begins empty. That of a patient of the team is read
    /// from the server at first, because an empty copy would look like a plan without entities.
    ///
    /// - Parameter isSyncing: whether the command synchronises by itself.
    func open(isSyncing: Bool = false) async throws -> CarePlanStore {
        let client = try account.client()
        let own = try client.storedHolder()?.account
        guard let patient = patient ?? own else { throw account.notSignedIn }
        let server = AccountCareServer(client: client, patient: patient)
        let store = try await CarePlanStore(patient: patient, folder: client.plansFolder, server: server)
        if !isSyncing, patient != own, await !store.isSynchronized { try await store.sync() }
        return store
    }

    /// Prints the identities of new versions.
    func show(_ versions: [CareEntity]) {
        let uuids = versions.map(\.uuid.uuidString)
        account.show(["uuids": .array(uuids.map { .string($0) })], lines: uuids)
    }
}

/// The form of dates in the arguments of `care` commands.
enum CareArguments {
    /// Parses the ends of a time: dates or times, UTC unless they have an offset.
    static func range(from: String, to: String) throws -> (start: Date, end: Date) {
        guard let start = try CommandInput.instant(from, "--from"), let end = try CommandInput.instant(to, "--to")
        else {
            throw ValidationError("--from and --to are missing.")
        }
        guard start <= end else { throw ValidationError("--from is later than --to.") }
        return (start, end)
    }

    /// Parses a day.
    static func day(_ text: String, _ option: String) throws -> CareDay {
        guard let day = CareDay(text) else { throw ValidationError("\(option) takes a date (2026-01-31).") }
        return day
    }

    /// Parses the kind of an entity.
    static func kind(_ text: String) throws -> CareEntityKind {
        guard let kind = CareEntityKind(rawValue: text) else {
            let kinds = CareEntityKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("The type is one of \(kinds).")
        }
        return kind
    }

    /// Reads `{"type","object"}`, or a list of them.
    static func drafts(_ path: String) throws -> [JSON] {
        let json = try CommandInput.json(path)
        return json.array ?? [json]
    }
}
