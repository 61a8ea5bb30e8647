import HTTPTypes

extension RecordsFailure {
    static let asynchronousOnly = RecordsFailure(
        status: .badRequest, issue: .processing, code: "respond-async-missing",
        message: "An export is answered later; ask for it with Prefer: respond-async.")
    static let tooManyExports = RecordsFailure(
        status: .tooManyRequests, issue: .throttled, code: "too-many-exports",
        message: "There are too many exports; wait for one to end, and delete those that are not needed any more.",
        headers: [.retryAfter: "60"])
    static let exportUnknown = RecordsFailure(
        status: .notFound, issue: .notFound, code: "export-unknown",
        message: "There is no such export; it may have expired or been cancelled.")
    static let exportElsewhere = RecordsFailure(
        status: .serviceUnavailable, issue: .transient, code: "export-elsewhere",
        message: "The file lies with another server of this study; ask again.", headers: [.retryAfter: "5"])
    static let groupUnknown = RecordsFailure(
        status: .notFound, issue: .notFound, code: "group-unknown", message: "There is no such Group.")
    static let patientUnknown = RecordsFailure(
        status: .badRequest, issue: .notFound, code: "patient-unknown",
        message: "A patient who is named is not there, or not among those who are exported.")

    /// Why an export failed, by the code that was noted.
    static func exportFailed(_ code: String) -> RecordsFailure {
        let message =
            switch code {
            case "export-too-large": "The files of the export take more room than there is for exports."
            case "export-too-long": "The export took too long; ask for fewer types or since a later time."
            case "storage-full": "The disk is full; ask again later."
            default: "The export could not be finished; ask for it again."
            }
        return RecordsFailure(status: .internalServerError, issue: .exception, code: code, message: message)
    }
}
