#if canImport(CareKitStore)
    import AccountClient
    import CarePlans
    import CareStores
    import Core
    import Foundation

    @available(iOS 18, macOS 15, watchOS 11, *)
    extension CareKitSynchronizer {
        /// The wait of one request for news, in seconds.
        static let secondsPerRequest = 30

        /// Begins to ask the server for news, and requests a sync of the ``delegate`` when there are some.
        ///
        /// Delays between failing requests increase up to five minutes. The requests end with ``stopListening()`` or when
        /// the synchronizer is released. A second call has no effect.
        public func startListening() {
            state.withLock { state in
                guard state.listener == nil else { return }
                state.listener = Task { [weak self, clock = options.clock] in
                    var backoff = ExponentialBackoff<Duration>(first: .seconds(1), longest: .seconds(300))
                    while !Task.isCancelled {
                        guard let delay = await self?.listenOnce(&backoff) else { return }
                        guard delay > .zero else { continue }
                        do { try await clock.sleep(for: delay) } catch { return }
                    }
                }
            }
        }

        /// Ends the requests for news.
        public func stopListening() {
            let listener = state.withLock { state in
                defer { state.listener = nil }
                return state.listener
            }
            listener?.cancel()
        }

        /// Sends one request for news.
        ///
        /// - Returns: the delay before the next request.
        private func listenOnce(_ backoff: inout ExponentialBackoff<Duration>) async -> Duration {
            guard let heard = heardSoFar() else {
                // Without a first sync it is not known what would be news.
                delegate?.didRequestSynchronization(self)
                return backoff.nextDelay()
            }
            do {
                var news: CareAnswer?
                let elapsed = try await options.clock.measured {
                    news = try await server.pull(
                        since: heard, page: nil, for: .careKit, wait: Self.secondsPerRequest)
                }
                guard let news else { return backoff.nextDelay() }
                didHear(news)
                if !news.revisions.isEmpty {
                    backoff.reset()
                    delegate?.didRequestSynchronization(self)
                    return .zero
                }
                // A server that does not wait answers at once.
                guard elapsed < .seconds(Self.secondsPerRequest / 2) else {
                    backoff.reset()
                    return .zero
                }
                return backoff.nextDelay()
            } catch {
                let seconds = (error as? CareServerError)?.retryAfter ?? (error as? AccountClientError)?.retryAfter
                return max(backoff.nextDelay(), .seconds(min(max(seconds ?? 0, 0), 86_400)))
            }
        }

        @inline(never)
        private func heardSoFar() -> KnowledgeVector? {
            state.withLock { $0.heard }
        }

        /// Records what an answer announces, so that the next request waits for other news.
        @inline(never)
        private func didHear(_ news: CareAnswer) {
            state.withLock { state in
                var heard = state.heard ?? KnowledgeVector()
                for revision in news.revisions { heard.merge(revision.knowledgeVector) }
                if news.next == nil { heard.merge(news.knowledgeVector) }
                state.heard = heard
            }
        }
    }

    extension Clock where Duration == Swift.Duration {
        /// Returns how long an operation takes.
        fileprivate func measured(_ operation: () async throws -> Void) async throws -> Duration {
            let start = now
            try await operation()
            return start.duration(to: now)
        }
    }
#endif
