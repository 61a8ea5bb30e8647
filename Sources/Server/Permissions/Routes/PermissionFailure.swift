import Core
import HTTPTypes
import Hummingbird
import ServerHTTP
import Storage
import Wire

/// A refused call about csis and permissions, as JSON: `status`, `error`, `message`, `requestId`.
struct PermissionFailure: HTTPRefusal {
    let status: HTTPResponse.Status
    let code: String
    let message: String
    private let headers: HTTPFields

    /// Creates the answer to an error.
    init(_ error: any Error) {
        switch error {
        case let refusal as PermissionError: self.init(refusal: refusal)
        case let failure as HTTPFailure: self.init(failure: failure)
        case let error as StorageError where error.concernsStore:
            self.init(
                refusal: PermissionError(.unavailable, "The server cannot store at the moment. Try again later."),
                headers: [.retryAfter: error.code == "storage-full" ? "60" : "10"])
        default: self.init(.internalServerError, code: "internal", message: "Something went wrong in the server.")
        }
    }

    private init(refusal: PermissionError, headers: HTTPFields = [:]) {
        self.init(
            HTTPResponse.Status(code: refusal.status), code: refusal.code, message: refusal.message, headers: headers)
    }

    private init(failure: HTTPFailure) {
        let reason: PermissionError.Reason =
            switch failure.status.code {
            case 404: .noSuchCsi
            case 405: .methodNotAllowed
            case 413: .tooLarge
            case 415: .unsupportedMediaType
            case 429: .tooManyRequests
            case 400..<500: .malformed
            default: .unavailable
            }
        self.init(refusal: PermissionError(reason, failure.message), headers: failure.headers)
    }

    private init(_ status: HTTPResponse.Status, code: String, message: String, headers: HTTPFields = [:]) {
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers
    }

    func response(from request: Request, context: some RequestContext) -> Response {
        let requestID = (context as? ServerRequestContext)?.requestID ?? ""
        let body: JSON = [
            "status": "error", "error": .string(code), "message": .string(message), "requestId": .string(requestID),
        ]
        return .bytes(
            ByteBuffer(bytes: body.bytes()), mediaType: "application/json", status: status, headers: headers)
    }
}
