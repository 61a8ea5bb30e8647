import Core

/// The reason why a push or a pull of a care plan is refused.
package struct CareLogError: CodedError, Hashable {
    package let code: String
    package let message: String

    /// A version follows a version, or an outcome belongs to a task, that is neither in the log nor in the push.
    static func referenceMissing(_ uuid: String) -> CareLogError {
        CareLogError(
            code: "reference-missing",
            message: "The version \(uuid) is neither in the log nor in the push: pull, and send all that the log lacks."
        )
    }

    /// CareKit would end the app for this outcome.
    static func outcomeImpossible(_ uuid: String) -> CareLogError {
        CareLogError(
            code: "outcome-impossible",
            message: "The outcome \(uuid) belongs to no event: its task has no such occurrence, or is a HealthKit task."
        )
    }

    /// A version follows a version of another entity.
    static func linkInvalid(_ uuid: String) -> CareLogError {
        CareLogError(code: "entity-invalid", message: "The version \(uuid) follows a version of another entity.")
    }

    /// An identity contains a character that no store accepts.
    static func idInvalid(_ uuid: String) -> CareLogError {
        CareLogError(code: "entity-invalid", message: "The id of the version \(uuid) contains U+0000.")
    }

    /// A vector claims changes of the server that the server did not make.
    static let vectorClaimed = CareLogError(
        code: "vector-invalid", message: "The vector has a later clock of the server than the server itself.")

    /// The plan has too many processes.
    static let vectorFull = CareLogError(
        code: "vector-invalid", message: "With this push, the vector of the plan has too many processes.")

    /// A page that this log did not name.
    static let cursorInvalid = CareLogError(
        code: "cursor-invalid", message: "The page is not one of this log: start without after.")

    /// There is no such account.
    static let patientUnknown = CareLogError(code: "account-unknown", message: "There is no account with this id.")

    /// An answer has too many elements.
    static let rangeTooLarge = CareLogError(
        code: "range-too-large",
        message:
            "The answer is too large: at most \(CareLimits.events) events, \(CareLimits.days) days and "
            + "\(CareLimits.bytesPerAnswer >> 20) MiB in one answer.")
}

/// Limits of requests for care plans.
package enum CareLimits {
    /// Maximum number of versions on a page of a pull.
    package static let versionsPerPage = 500
    /// Maximum number of bytes of the versions on a page of a pull, if it has more than one.
    package static let bytesPerPage = 4 << 20
    /// Maximum number of versions that one page of a pull examines.
    package static let versionsPerScan = 20_000
    /// Maximum number of vectors that a pull finds one by one; with more news it examines the log in order.
    package static let vectorsPerPage = 500
    /// Maximum number of answers without versions that a session gets after a restore.
    package static let answersAfterRestore = 20
    /// Maximum number of versions that one version of the server follows.
    package static let tipsPerResolution = 1_000
    /// Maximum number of events in one answer.
    package static let events = 10_000
    /// Maximum number of days in one answer.
    package static let days = 400
    /// Maximum number of bytes of the versions in one answer that has no pages.
    package static let bytesPerAnswer = 32 << 20
}
