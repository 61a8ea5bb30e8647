import Attachments
import Core
import Crypto
import Foundation

extension DeviceStore {
    /// Signs, seals and queues resources, each one before the next: for a signed consent the Contract, then the
    /// Patient.
    ///
    /// ```swift
    /// let signed = try store.sign(consent, as: name)
    /// try store.queue(signed)
    /// ```
    /// The call may be repeated. A resource of equal content that is queued or was sent is not queued again, so a
    /// failure after the Contract leads to no second Contract.
    ///
    /// - Parameters:
    ///   - resources: the resources, such as a `SignedConsent`.
    ///   - attachments: cleans the attachments of all resources before the first one is queued.
    /// - Returns: the entries in the order of the resources, durable.
    /// - Throws: as for one resource; `request-refused` if the study has refused one of them. Then the resources before
    ///   the one that failed are queued, and a repetition continues after them.
    @discardableResult
    public func queue(
        _ resources: some OrderedResources, attachments: AttachmentCleaning = AttachmentCleaning()
    ) throws -> [OutboxEntry] {
        // 1. Everything that can fail without the disk.
        let contents = try resources.orderedResources.map {
            (kind: $0.resourceType, payload: JSON.object(try attachments.cleaned($0.object)).data())
        }
        let recipients = try enrolment().recipients()
        let signer = try signer()
        let key = try submissionKey()
        // 2. The entries. Their ids are derived from the contents, by which a repetition finds them.
        return try contents.map { kind, payload in
            try outbox.append(
                payload, kind: kind, submissionID: Self.submissionID(of: payload, key), contentType: .resource,
                to: recipients, signedBy: signer, isRepeatable: true)
        }
    }

    /// Returns an id that is derived from the content. The key keeps a reader of the id from testing guesses of the
    /// content.
    private static func submissionID(of payload: Data, _ key: SymmetricKey) -> String {
        UUID(HMAC<SHA256>.authenticationCode(for: payload, using: key), version: .custom).lowercaseText
    }

    /// Returns the secret from which ids of submissions are derived, and creates it if there is none.
    private func submissionKey() throws -> SymmetricKey {
        // Two processes that start at the same time must not create two keys.
        let lock = try outbox.changingLock()
        defer { withExtendedLifetime(lock) {} }
        if let secret = try secrets.secret(named: Self.submissionKeyName) { return SymmetricKey(data: secret) }
        let key = SymmetricKey(size: .bits256)
        try secrets.save(key.withUnsafeBytes { Data($0) }, named: Self.submissionKeyName)
        return key
    }

    private static let submissionKeyName = "submission-key"
}

extension OutboxDirectory {
    /// Returns the queued or sent entry with the id; nil if there is none. Call it only while locked.
    ///
    /// - Throws: storage errors; `request-refused` if the study refused the submission.
    func entry(submissionID: String) throws(OutboxError) -> OutboxEntry? {
        if let entry = try entries().first(where: { $0.submissionID == submissionID }) { return entry }
        let sent = try sentSubmissions().first { $0.entry.submissionID == submissionID }
        let isRefused = try refusedEntries().contains { $0.submissionID == submissionID } || sent?.isRefused ?? false
        guard !isRefused else {
            throw OutboxError(
                .requestRefused,
                "The study refused this submission: sign a new consent, or retry the refused submissions.")
        }
        return sent?.entry
    }
}

extension SentSubmission {
    /// Whether the study refused the submission after it had received it.
    fileprivate var isRefused: Bool { if case .refused = fate { true } else { false } }
}
