import Admission
import FHIR
import Foundation
import StudyKeys
import Submissions
import Wire

extension SubmissionProcessor {
    /// Opens a submission, parses it, applies the early part of the gate, and converts it, without a transaction.
    func read(
        _ submission: QueuedSubmission, opener: OpenSSLKeyOpener, published: PublishedStudy, sender: SenderState
    ) -> SubmissionContent {
        let isMarked = submission.resourceTypeHint == Consent.resourceType
        // 1. Open.
        let opened: OpenedEnvelope
        do {
            opened = try OpenedEnvelope.open(submission.body, with: opener)
        } catch {
            if let unknown = opener.unknownKeys(of: submission.body) {
                return SubmissionContent(
                    result: .settled(Self.unknownKey(unknown)), mayBeWithdrawal: isMarked, isOpened: false)
            }
            var unread = quarantined(error, mayBeWithdrawal: isMarked)
            unread.isOpened = false
            return unread
        }
        // 2. Parse. From here on, the content is what the device sealed, signed or unsigned.
        var content =
            opened.contentType == .link
            ? linkContent(opened, in: sender.context, isMarked: isMarked)
            : documentContent(
                opened, of: submission, published: published, sender: sender, isMarked: isMarked)
        content.signature = opened.signature
        return content
    }

    private func quarantined(_ error: any Error, mayBeWithdrawal: Bool, keyID: String? = nil) -> SubmissionContent {
        let problem = Self.problem(from: error)
        return SubmissionContent(
            result: .settled(
                SubmissionOutcome(
                    status: .quarantined, reasonCode: problem.code, detail: problem.message, keyID: keyID)),
            mayBeWithdrawal: mayBeWithdrawal)
    }

    /// Parses the opened payload, applies the early part of the gate, and converts it.
    private func documentContent(
        _ opened: OpenedEnvelope, of submission: QueuedSubmission, published: PublishedStudy, sender: SenderState,
        isMarked: Bool
    ) -> SubmissionContent {
        let reader = admission.reader
        let documents: [ParsedDocument]
        do {
            documents = try reader.parse(opened)
        } catch {
            return quarantined(
                error, mayBeWithdrawal: isMarked || ConsentSignal.isMarked(opened.payload), keyID: opened.keyID)
        }
        let mayBeWithdrawal = documents.contains { ConsentSignal.mayBeWithdrawal($0.resource) }
        let subjects = documents.reduce(into: Set<String>()) { $0.formUnion($1.owners.patients) }
        if documents.contains(where: SubmissionDeletions.isMeant) {
            do throws(SubmissionProblem) {
                let ids = try SubmissionDeletions.ids(in: documents, limit: admission.maximumResources)
                return SubmissionContent(
                    result: .deletions(ids, keyID: opened.keyID), mayBeWithdrawal: mayBeWithdrawal, subjects: subjects)
            } catch {
                var content = quarantined(error, mayBeWithdrawal: mayBeWithdrawal, keyID: opened.keyID)
                content.subjects = subjects
                return content
            }
        }
        // 3. Apply the early part of the gate, to skip the conversion of data that is not admitted now.
        if let early = earlyOutcome(documents, sender, keyID: opened.keyID) {
            return SubmissionContent(result: .settled(early), mayBeWithdrawal: mayBeWithdrawal, subjects: subjects)
        }
        // 4. Convert and check.
        do {
            let incoming = try reader.convert(documents, of: opened, submission: submission, published: published)
            return SubmissionContent(
                result: .ready(incoming, keyID: opened.keyID), mayBeWithdrawal: mayBeWithdrawal,
                subjects: subjects.union(incoming.map(\.subject)))
        } catch {
            var content = quarantined(error, mayBeWithdrawal: mayBeWithdrawal, keyID: opened.keyID)
            content.subjects = subjects
            return content
        }
    }

    /// Returns the outcome that any data has in the sender's state; nil if it is admitted or may change the consent.
    private func earlyOutcome(
        _ documents: [ParsedDocument], _ sender: SenderState, keyID: String
    ) -> SubmissionOutcome? {
        let changesConsent = documents.contains {
            [Contract.resourceType, Consent.resourceType].contains($0.resource.resourceType)
        }
        guard !changesConsent else { return nil }
        let decision = admission.gate.decide(.data, in: sender.context)
        return Self.outcome(of: decision, keyID: keyID)
    }

    private static func unknownKey(_ keyIDs: [String]) -> SubmissionOutcome {
        SubmissionOutcome(
            status: .held, reasonCode: "key-unknown",
            detail: """
                It is sealed to \(keyIDs.joined(separator: ", ")), which is not in keys/. Restore that key's file from \
                the copies of the keys (`tributary keys drill --keys COPY` reports whether one opens it); it is then processed.
                """)
    }

    /// Returns the outcome for a decision of the gate; nil if it is to be admitted.
    static func outcome(of decision: ConsentGate.Decision, keyID: String) -> SubmissionOutcome? {
        switch decision {
        case .admit: nil
        case .hold(let requirement):
            SubmissionOutcome(
                status: .held, reasonCode: requirement.code, detail: requirement.sentence, keyID: keyID,
                heldUntil: requirement.until)
        case .refuse(let reason):
            SubmissionOutcome(status: .refused, reasonCode: reason.rawValue, detail: reason.sentence, keyID: keyID)
        case .quarantine(let reason):
            SubmissionOutcome(status: .quarantined, reasonCode: reason.rawValue, detail: reason.sentence, keyID: keyID)
        }
    }

    static func problem(from error: any Error) -> SubmissionProblem {
        switch error {
        case let problem as SubmissionProblem: problem
        case let error as any CodedError: SubmissionProblem(error.code, error.message)
        default: SubmissionProblem("submission-unreadable", "The submission cannot be read.")
        }
    }
}

extension ConsentGate.Requirement {
    fileprivate var until: Date? {
        if case .endOfGrace(let date) = self { date } else { nil }
    }
}
