import Audit
import Core
import Logging
import ServiceLifecycle

/// Seals new rows of the audit while a study is served.
///
/// A row is sealed within ``interval`` and the time of one seal. While the store or the disk fails, rows are not lost:
/// the next attempt seals them.
struct AuditSealing: Service {
    let keeper: AuditKeeper
    let logger: Logger

    /// Time between two attempts.
    static let interval = Duration.seconds(4)

    func run() async throws {
        var isTroubled = false
        while !_Concurrency.Task.isShuttingDownGracefully, !_Concurrency.Task.isCancelled {
            isTroubled = await seal(wasTroubled: isTroubled)
            await cancelWhenGracefulShutdown { try? await _Concurrency.Task.sleep(for: Self.interval) }
        }
    }

    /// Seals all rows that exist at the start.
    ///
    /// - Returns: whether it failed. Only a first failure and the end of failures are logged.
    @discardableResult
    func seal(wasTroubled: Bool = false) async -> Bool {
        do {
            try await keeper.run()
            if wasTroubled { logger.notice("seals of the audit are written again") }
            return false
        } catch is CancellationError {
            return wasTroubled
        } catch {
            if !wasTroubled {
                logger.error(
                    "a seal of the audit or its head was not written; a later attempt writes it",
                    metadata: ["code": "\((error as? any CodedError)?.code ?? "failed")"])
            }
            return true
        }
    }
}
