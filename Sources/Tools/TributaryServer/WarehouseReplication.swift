import Core
import Logging
import ServiceLifecycle
import Storage
import Warehouse

/// Copies changes of the warehouse to an i2b2 in another database, while a study is served.
///
/// While that database is unavailable, changes wait in the records' store, and the study is served as usual.
struct WarehouseReplication: Service {
    let replica: WarehouseReplica
    let records: any SQLDatabase
    let logger: Logger

    private static let interval = Duration.seconds(1)
    private static let longestInterval = Duration.seconds(60)

    func run() async throws {
        var backoff = ExponentialBackoff(first: Self.interval, longest: Self.longestInterval)
        var isTroubled = false
        while !_Concurrency.Task.isShuttingDownGracefully, !_Concurrency.Task.isCancelled {
            do {
                try await replica.store.open().closing { other in
                    let carrier = ReplicaCarrier(records: records, replica: other)
                    while !_Concurrency.Task.isShuttingDownGracefully, !_Concurrency.Task.isCancelled {
                        if case .carried = try await carrier.step() {
                            if isTroubled { logger.notice("warehouse replication continues") }
                            backoff.reset()
                            isTroubled = false
                        } else {
                            await wait(Self.interval)
                        }
                    }
                }
            } catch {
                isTroubled = true
                let error = error as? any CodedError
                logger.error(
                    "the i2b2 of another database was not reached; changes wait",
                    metadata: ["code": "\(error?.code ?? "failed")", "detail": "\(error?.message ?? "")"])
                await wait(backoff.nextDelay())
            }
        }
    }

    private func wait(_ interval: Duration) async {
        await cancelWhenGracefulShutdown { try? await _Concurrency.Task.sleep(for: interval) }
    }
}
