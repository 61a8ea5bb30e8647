#if canImport(Darwin)
    import Foundation

    /// ``UploadTransport`` over a background session of URLSession: the system uploads while the app is suspended, and
    /// launches it again when there is a response.
    ///
    /// Create one for each identifier and keep it: at each start of the app, and in
    /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)` with the given identifier.
    ///
    /// The system itself follows redirects of such uploads. The body is sealed, but the access token is sent along: a
    /// study's address should not redirect.
    public final class BackgroundUploads: UploadTransport {
        public let answers: AsyncStream<UploadAnswer>
        private let session: URLSession
        private let assembling: Task<Void, Never>

        /// Opens the session, including one of an earlier process.
        ///
        /// - Parameters:
        ///   - identifier: the session's identifier, the same at each start.
        ///   - onEventsDelivered: called when all pending events were delivered. Call the system's completion handler
        ///     in it.
        public init(identifier: String, onEventsDelivered: @escaping @Sendable () -> Void = {}) {
            let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
            configuration.isDiscretionary = false
            configuration.sessionSendsLaunchEvents = true
            configuration.disableStorage()
            let (events, eventSink) = AsyncStream.makeStream(of: UploadEvent.self)
            let (answers, answerSink) = AsyncStream.makeStream(of: UploadAnswer.self)
            self.answers = answers
            session = URLSession(
                configuration: configuration, delegate: UploadDelegate(eventSink), delegateQueue: nil)
            assembling = Task {
                var bodies: [Int: Data] = [:]
                for await event in events {
                    switch event {
                    case .received(let task, let part):
                        // A response of the study has a few hundred bytes; other pages may have any number.
                        if bodies[task, default: Data()].count <= UploadEvent.longestBody {
                            bodies[task, default: Data()].append(part)
                        }
                    case .completed(let task, let tag, var response):
                        response?.body = bodies.removeValue(forKey: task) ?? Data()
                        if let tag { answerSink.yield(UploadAnswer(tag: tag, response: response)) }
                    case .delivered: onEventsDelivered()
                    }
                }
                answerSink.finish()
            }
        }

        deinit {
            session.finishTasksAndInvalidate()
            assembling.cancel()
        }

        public func begin(_ upload: QueuedUpload) async throws {
            let task = session.uploadTask(with: URLRequest(upload.request), fromFile: upload.file)
            task.taskDescription = upload.tag
            task.earliestBeginDate = upload.notBefore
            task.resume()
        }

        public func tagsUnderWay() async -> Set<String> { Set(await session.allTasks.compactMap(\.taskDescription)) }
    }

    /// An event of a background session.
    private enum UploadEvent: Sendable {
        case received(Int, Data)
        case completed(Int, tag: String?, TransportResponse?)
        case delivered

        static let longestBody = 65_536
    }

    /// Passes on the events of the session, in order.
    private final class UploadDelegate: NSObject, URLSessionDataDelegate {
        private let sink: AsyncStream<UploadEvent>.Continuation

        init(_ sink: AsyncStream<UploadEvent>.Continuation) { self.sink = sink }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            sink.yield(.received(dataTask.taskIdentifier, data))
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let response = error == nil ? (task.response as? HTTPURLResponse).map { TransportResponse($0) } : nil
            sink.yield(.completed(task.taskIdentifier, tag: task.taskDescription, response))
        }

        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { sink.yield(.delivered) }

        func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { sink.finish() }
    }
#endif
