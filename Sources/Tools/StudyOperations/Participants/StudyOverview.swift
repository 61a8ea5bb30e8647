import Admission
import Foundation
import InformedConsent
import RecordStorage
import Storage

/// The overview of the study's participants for the study team.
package enum StudyOverview {
    package struct Participant: Sendable {
        /// The Patient's id.
        package let id: String
        /// `consented`, `withdrawn` or `none`.
        package let consent: String
        /// The time at which the contract was signed.
        package let since: Date?
        package let withdrawnAt: Date?
        /// The time since which a possible withdrawal waits to be interpreted.
        package let suspendedSince: Date?
        /// The time of receipt of the latest recorded submission.
        package let lastSeen: Date?
        /// The number of responses by form.
        package let forms: [String: Int]
        /// The number of Observations by code.
        package let streams: [String: Int]

        package var isConsented: Bool { consent == ConsentContext.State.consented.rawValue }
        package var isWithdrawn: Bool { consent == ConsentContext.State.withdrawn.rawValue }
    }

    /// Returns all participants, by id.
    package static func participants(in database: any SQLDatabase) async throws -> [Participant] {
        try await database.read { transaction in
            let statistics = RecordStatistics()
            let suspended = try SuspensionRegister().all(in: transaction)
            return try ConsentRegister().all(in: transaction).map { subject, state in
                Participant(
                    id: subject, consent: state.gateState.rawValue, since: state.newest?.signedAt,
                    withdrawnAt: state.withdrawnAt, suspendedSince: suspended[subject],
                    lastSeen: try statistics.lastSeen(subject, in: transaction),
                    forms: try statistics.counts(of: subject, type: "QuestionnaireResponse", in: transaction),
                    streams: try statistics.counts(of: subject, type: "Observation", in: transaction))
            }
        }
    }
}
