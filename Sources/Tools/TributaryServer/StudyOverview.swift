import Consumer
import Foundation
import InformedConsent
import Records
import Storage

/// The overview of the study's participants for the study team.
public enum StudyOverview {
    public struct Participant: Sendable {
        /// The Patient's id.
        public let id: String
        /// `consented`, `withdrawn` or `none`.
        public let consent: String
        /// The time at which the contract was signed.
        public let since: Date?
        public let withdrawnAt: Date?
        /// The time since which a possible withdrawal waits to be interpreted.
        public let suspendedSince: Date?
        /// The time of receipt of the latest recorded submission.
        public let lastSeen: Date?
        /// The number of responses by form.
        public let forms: [String: Int]
        /// The number of Observations by code.
        public let streams: [String: Int]

        public var isConsented: Bool { consent == ConsentContext.State.consented.rawValue }
        public var isWithdrawn: Bool { consent == ConsentContext.State.withdrawn.rawValue }
    }

    /// Returns all participants, by id.
    public static func participants(in database: any SQLDatabase) async throws -> [Participant] {
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
