import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// ``Transport`` over URLSession: no cookies, no cache, no stored credentials, a time limit, and redirects only for GET
/// and only within the same scheme, host and port, so that neither a secret nor a submission ends elsewhere.
public final class URLSessionTransport: Transport {
    private let session: URLSession

    /// Makes a transport.
    /// - Parameters:
    ///   - timeout: seconds without any byte after which a request fails.
    ///   - totalTimeout: seconds after which it fails in any case.
    public init(timeout: Double = 30, totalTimeout: Double = 300) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.timeoutIntervalForResource = totalTimeout
        configuration.keepNothing()
        session = URLSession(configuration: configuration, delegate: SameOriginRedirects(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let answer: (Data, URLResponse)
        do {
            answer = try await session.data(for: URLRequest(request))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw OutboxError(.connectionFailed, "The server cannot be reached, or the connection broke.")
        }
        guard let response = answer.1 as? HTTPURLResponse else {
            throw OutboxError(.answerInvalid, "The answer is not HTTP.")
        }
        return TransportResponse(response, body: answer.0)
    }
}

extension URLSessionConfiguration {
    /// No cookies, no cache, no stored credentials.
    func keepNothing() {
        httpCookieStorage = nil
        httpShouldSetCookies = false
        httpCookieAcceptPolicy = .never
        urlCache = nil
        requestCachePolicy = .reloadIgnoringLocalCacheData
        urlCredentialStorage = nil
    }
}

extension URLRequest {
    /// The request as URLSession takes it.
    init(_ request: TransportRequest) {
        self.init(url: request.url)
        httpMethod = request.method
        httpBody = request.body
        for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
    }
}

extension TransportResponse {
    /// The answer as URLSession tells it.
    init(_ response: HTTPURLResponse, body: Data = Data()) {
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        self.init(status: response.statusCode, headers: headers, body: body)
    }
}

/// Follows a redirect only where it cannot carry anything to another place or turn a POST into a GET.
private final class SameOriginRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let original = task.originalRequest
        let same =
            original?.httpMethod == "GET" && original?.url?.scheme == request.url?.scheme
            && original?.url?.host == request.url?.host && original?.url?.port == request.url?.port
        completionHandler(same ? request : nil)
    }
}
