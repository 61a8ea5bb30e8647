import Core
import Logging
import ServiceLifecycle
import Storage
import StudyOperations

/// Deletes accounts whose deletion was requested, while a study is served.
struct AccountDeletions: Service {
    let deletion: AccountDeletion
    let arrivals: ArrivalSignal
    let logger: Logger

    /// Maximum time between two looks at the store: a request may come to another process.
    static let interval: Duration = .seconds(5)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !_Concurrency.Task.isCancelled {
                do {
                    let count = try await deletion.run()
                    if count > 0 { logger.notice("accounts were deleted", metadata: ["count": "\(count)"]) }
                } catch {
                    logger.error(
                        "deletions of accounts wait",
                        metadata: ["code": "\((error as? any CodedError)?.code ?? "failed")"])
                }
                _ = await arrivals.wait(upTo: Self.interval)
            }
        }
    }
}

/// Sends the mails to account holders, while a study is served.
struct AccountMails: Service {
    let run: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown { await run() }
    }
}
