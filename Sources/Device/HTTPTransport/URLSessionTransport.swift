import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// ``Transport`` over URLSession: no cookies, no cache, no stored credentials, a time limit, a maximum size of
/// responses, and redirects only for GET and only within the same scheme, host and port, so that neither a secret nor a
/// submission reaches another server.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let answers: SessionAnswers
    private let assembling: Task<Void, Never>

    /// Creates a transport.
    /// - Parameters:
    ///   - timeout: seconds without any byte after which a request fails.
    ///   - totalTimeout: seconds after which a request fails in any case.
    ///   - largestAnswer: maximum bytes of a response body; a larger response fails, which bounds the memory.
    public init(timeout: Double = 30, totalTimeout: Double = 300, largestAnswer: Int = 64 << 20) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.timeoutIntervalForResource = totalTimeout
        configuration.disableStorage()
        let (events, sink) = AsyncStream.makeStream(of: SessionEvent.self)
        let answers = SessionAnswers(largest: largestAnswer)
        self.answers = answers
        session = URLSession(configuration: configuration, delegate: SessionDelegate(sink), delegateQueue: nil)
        assembling = Task { for await event in events { await answers.take(event) } }
    }

    deinit {
        session.finishTasksAndInvalidate()
        assembling.cancel()
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let task = session.dataTask(with: URLRequest(request))
        do {
            return try await withTaskCancellationHandler {
                try await answers.answer(of: task)
            } onCancel: {
                task.cancel()
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw error
        }
    }
}

extension URLSessionConfiguration {
    /// Disables cookies, cache and stored credentials.
    package func disableStorage() {
        httpCookieStorage = nil
        httpShouldSetCookies = false
        httpCookieAcceptPolicy = .never
        urlCache = nil
        requestCachePolicy = .reloadIgnoringLocalCacheData
        urlCredentialStorage = nil
    }
}

extension URLRequest {
    /// Creates URLSession's form of a request.
    package init(_ request: TransportRequest) {
        self.init(url: request.url)
        httpMethod = request.method
        httpBody = request.body
        for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
    }
}

extension TransportResponse {
    /// Creates a response from URLSession's form.
    package init(_ response: HTTPURLResponse, body: Data = Data()) {
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        self.init(status: response.statusCode, headers: headers, body: body)
    }
}
