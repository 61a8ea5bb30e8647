import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An event of a session's task.
enum SessionEvent: Sendable {
    case received(URLSessionTask, Data)
    case completed(URLSessionTask, (any Error)?)
}

/// Assembles the responses of a session's tasks.
actor SessionAnswers {
    private struct Pending {
        let continuation: CheckedContinuation<TransportResponse, any Error>
        var body = Data()
    }

    private let largest: Int
    private var pending: [Int: Pending] = [:]

    /// - Parameter largest: maximum bytes of a response body; a larger response fails.
    init(largest: Int) { self.largest = largest }

    /// Starts a task and waits for its response.
    ///
    /// - Throws: ``TransportError`` `connection-failed` if there is no response, `answer-invalid` if it is too large or
    ///   not HTTP; `CancellationError` if the caller is cancelled.
    func answer(of task: URLSessionTask) async throws -> TransportResponse {
        try await withCheckedThrowingContinuation { continuation in
            // A task that is cancelled before it starts may never report completion.
            guard !Task.isCancelled else {
                continuation.resume(throwing: CancellationError())
                return
            }
            pending[task.taskIdentifier] = Pending(continuation: continuation)
            task.resume()
        }
    }

    func take(_ event: SessionEvent) {
        switch event {
        case .received(let task, let part):
            // A task whose response was too large is finished already.
            guard let size = pending[task.taskIdentifier]?.body.count else { return }
            guard part.count <= largest - size else {
                task.cancel()
                finish(
                    task,
                    .failure(TransportError(.answerInvalid, "The server's answer has more than \(largest) bytes.")))
                return
            }
            pending[task.taskIdentifier]?.body.append(part)
        case .completed(let task, .some(let error)):
            finish(task, .failure(TransportError.unreached(task.originalRequest?.url, because: error)))
        case .completed(let task, nil):
            guard let response = task.response as? HTTPURLResponse else {
                finish(task, .failure(TransportError(.answerInvalid, "The answer is not HTTP.")))
                return
            }
            finish(task, .success(TransportResponse(response, body: pending[task.taskIdentifier]?.body ?? Data())))
        }
    }

    private func finish(_ task: URLSessionTask, _ result: Result<TransportResponse, any Error>) {
        pending.removeValue(forKey: task.taskIdentifier)?.continuation.resume(with: result)
    }
}

/// Passes on the events of the session, in order. It follows a redirect only if it can neither send data to another
/// host nor turn a POST into a GET.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let sink: AsyncStream<SessionEvent>.Continuation

    init(_ sink: AsyncStream<SessionEvent>.Continuation) { self.sink = sink }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        sink.yield(.received(dataTask, data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        sink.yield(.completed(task, error))
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { sink.finish() }

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
