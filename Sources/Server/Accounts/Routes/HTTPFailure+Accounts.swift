import AccessPolicy
import Core
import HTTPTypes
import Identity
import ResearchResults
import ServerHTTP
import Storage

extension HTTPFailure {
    /// Converts any error to the failure for the response, with CMHealth's number as `cmhealth` if there is one. It
    /// repeats nothing of the request.
    package init(account error: any Error) {
        switch error {
        case let failure as HTTPFailure: self = failure
        case let error as any CMHealthCoded:
            self.init(Self.status(of: error), code: error.code, message: error.message)
            set(cmhealth: error.cmhealth)
            if error.cmhealth == .userNotLoggedIn { headers[.wwwAuthenticate] = "Bearer" }
        case let error as AccountDataError: self.init(error)
        case let error as AccessError: self.init(error)
        case let error as PasswordQueueError:
            self.init(
                .serviceUnavailable, code: error.code, message: error.message,
                headers: [.retryAfter: SignInAttempt.retryAfter])
        case is RedemptionRefusal: self.init(account: CMHealthError.userNotLoggedIn)
        case let error as StorageError where error.code == "storage-full": self = .storageFull
        case is StorageError: self = .storageUnavailable
        case is CancellationError: self = .requestCancelled
        default: self = .internalError
        }
    }

    private init(_ error: AccessError) {
        switch error.code {
        case "username-taken": self.init(account: CMHealthError.duplicateAccount)
        case "username-invalid": self.init(account: EmailAddressError())
        case "password-invalid", "group-unknown":
            self.init(.unprocessableContent, code: error.code, message: error.message)
            set(cmhealth: .invalidUserRequest)
        // The account was deleted while the request ran.
        case "account-unknown": self.init(account: CMHealthError.userNotLoggedIn)
        default:
            self.init(.forbidden, code: error.code, message: error.message)
            set(cmhealth: .unauthorized)
        }
    }

    private init(_ error: AccountDataError) {
        let status: HTTPResponse.Status =
            switch error {
            case .full: .contentTooLarge
            case .consentAbsent: .notFound
            default: .unprocessableContent
            }
        self.init(status, code: error.code, message: error.message)
        let number: CMHealthError = error == .consentAbsent ? .notFound : .failedToUploadFile
        set(cmhealth: number)
    }

    private static func status(of error: any CMHealthCoded) -> HTTPResponse.Status {
        switch error.cmhealth {
        case .userNotLoggedIn, .invalidCredentials: .unauthorized
        case .duplicateAccount: .conflict
        case .unauthorized: .forbidden
        case .notFound: .notFound
        case .userMissingConsent, .userMissingRegistration, .userMissingSignature, .userDidNotConsent,
            .userDidNotProvideName, .userDidNotSign, .invalidUserRequest:
            .unprocessableContent
        default: error.code == ResearchResultError.Reason.tooLarge.rawValue ? .contentTooLarge : .badRequest
        }
    }

    /// Adds CMHealth's number to the answer.
    mutating func set(cmhealth error: CMHealthError) {
        members["cmhealth"] = .number(JSONNumber(error.number))
    }

    /// 410: a code that is unknown, has expired or was used.
    static let codeInvalid = HTTPFailure(
        .gone, code: "code-invalid", message: "The code is unknown, has expired or was used: request another one.")

    /// 400: a cursor of another account or of another kind.
    static let cursorInvalid = HTTPFailure(
        .badRequest, code: "cursor-invalid", message: "The cursor is not one of this list: start without it.")

    /// 400: a body that is not the expected JSON object.
    package static func bodyInvalid(_ message: String) -> HTTPFailure {
        HTTPFailure(.badRequest, code: "body-invalid", message: message)
    }
}
