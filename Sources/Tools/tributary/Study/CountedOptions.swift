import AccessPolicy
import Admission
import ArgumentParser
import Audit

/// The choice of the participants who are counted or exported.
struct CountedOptions: ParsableArguments {
    @Flag(help: "Also participants who have withdrawn.") var withWithdrawn = false
    @Flag(help: "Only participants whose consent in force permits sharing with researchers.") var shared = false

    func validate() throws {
        guard !(shared && withWithdrawn) else {
            throw ValidationError(
                "--shared and --with-withdrawn exclude each other: a withdrawn consent permits no sharing.")
        }
    }

    var participants: CountedParticipants {
        withWithdrawn ? .withWithdrawn : shared ? .sharing : .notWithdrawn
    }
}

extension AuditLog {
    /// Writes the row of an export by this account, which comes before the data of the participants is written.
    func recordExport(of type: String, showing participants: Set<String>) async throws {
        let target = Target(resourceType: type)
        try await record(
            decision(.account, action: .exportRecords, target: target), by: .account, action: .exportRecords,
            target: target, showing: participants)
    }
}
