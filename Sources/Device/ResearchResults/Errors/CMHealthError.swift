import Core

/// The errors of CMHealth (`CMHErrors.h`). The raw value is CMHealth's number.
///
/// Client and server use the same value: a response of the server has the code and, as `cmhealth`, the number.
///
/// ```swift
/// let error = CMHealthError(rawValue: 711)
/// print(error?.code ?? "", error?.message ?? "")
/// ```
public enum CMHealthError: Int, CodedError, Hashable, CaseIterable {
    /// 700: an upload of a consent has no task result.
    case userMissingConsent = 700
    /// 701: a task result has no registration with e-mail address and password.
    case userMissingRegistration = 701
    /// 702: a task result has no result of a signature.
    case userMissingSignature = 702
    /// 703: the person did not consent.
    case userDidNotConsent = 703
    /// 704: the signature has no name. CMHealth declares this error and does not use it.
    case userDidNotProvideName = 704
    /// 705: the upload has no image of the signature.
    case userDidNotSign = 705
    /// 706: a file was not uploaded.
    case failedToUploadFile = 706
    /// 707: an object was not saved.
    case failedToUploadObject = 707
    /// 708: no account is signed in, or the session has ended.
    case userNotLoggedIn = 708
    /// 709: the account does not exist. A server that does not reveal accounts answers 710 instead.
    case invalidAccount = 709
    /// 710: e-mail address or password are wrong.
    case invalidCredentials = 710
    /// 711: another account has this e-mail address.
    case duplicateAccount = 711
    /// 712: the request for an account is invalid.
    case invalidUserRequest = 712
    /// 713: another error of accounts.
    case unknownAccountError = 713
    /// 714: an object was not fetched.
    case failedToFetchObject = 714
    /// 800: another error.
    case unknown = 800
    /// 801: the server could not be reached.
    case serverConnectionFailed = 801
    /// 802: the server failed.
    case serverError = 802
    /// 803: the server does not have the requested data.
    case notFound = 803
    /// 804: the request is invalid.
    case invalidRequest = 804
    /// 805: the response cannot be read.
    case invalidResponse = 805
    /// 806: the caller may not do this.
    case unauthorized = 806
    /// 900: an object of CareKit was not saved.
    case careObjectSaveError = 900

    /// CMHealth's number, such as 711.
    public var number: Int { rawValue }

    /// Returns the error with a stable code; nil for another code.
    public init?(code: String) {
        guard let error = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = error
    }

    public var code: String {
        switch self {
        case .userMissingConsent: "consent-result-missing"
        case .userMissingRegistration: "registration-missing"
        case .userMissingSignature: "consent-signature-missing"
        case .userDidNotConsent: "consent-not-given"
        case .userDidNotProvideName: "consent-name-missing"
        case .userDidNotSign: "signature-image-missing"
        case .failedToUploadFile: "file-upload-failed"
        case .failedToUploadObject: "object-upload-failed"
        case .userNotLoggedIn: "not-signed-in"
        case .invalidAccount: "account-missing"
        case .invalidCredentials: "credentials-wrong"
        case .duplicateAccount: "account-duplicate"
        case .invalidUserRequest: "account-request-invalid"
        case .unknownAccountError: "account-failed"
        case .failedToFetchObject: "object-fetch-failed"
        case .unknown: "unknown-error"
        case .serverConnectionFailed: "server-unreachable"
        case .serverError: "server-failed"
        case .notFound: "data-not-found"
        case .invalidRequest: "request-invalid"
        case .invalidResponse: "response-invalid"
        case .unauthorized: "access-denied"
        case .careObjectSaveError: "care-object-not-saved"
        }
    }

    public var message: String {
        switch self {
        case .userMissingConsent: "The upload has no consent: send the task result of the consent."
        case .userMissingRegistration: "The task result has no registration with an e-mail address and a password."
        case .userMissingSignature: "The task result has no signature of a consent."
        case .userDidNotConsent: "The person did not consent."
        case .userDidNotProvideName: "The signature has no name."
        case .userDidNotSign: "The consent has no image of the signature: send it as JPEG or PNG."
        case .failedToUploadFile: "The file was not uploaded: send it again."
        case .failedToUploadObject: "The object was not saved: send it again."
        case .userNotLoggedIn: "No account is signed in, or the session has ended: sign in."
        case .invalidAccount: "The account does not exist."
        case .invalidCredentials: "The e-mail address or the password is wrong."
        case .duplicateAccount: "Another account has this e-mail address: sign in, or reset the password."
        case .invalidUserRequest: "The request was invalid: check the e-mail address and the password."
        case .unknownAccountError: "The account could not be read or changed: try again later."
        case .failedToFetchObject: "The object was not fetched: try again later."
        case .unknown: "An unknown error occurred."
        case .serverConnectionFailed: "The server cannot be reached: check the network."
        case .serverError: "The server failed: try again later."
        case .notFound: "The server does not have these data."
        case .invalidRequest: "The server cannot read the request."
        case .invalidResponse: "The response of the server cannot be read."
        case .unauthorized: "This account may not do this."
        case .careObjectSaveError: "The object of the care plan was not saved."
        }
    }
}

/// An error that has one of CMHealth's numbers in addition to its own code.
public protocol CMHealthCoded: CodedError {
    /// The error of CMHealth with the number.
    var cmhealth: CMHealthError { get }
}

extension CMHealthError: CMHealthCoded {
    public var cmhealth: CMHealthError { self }
}
