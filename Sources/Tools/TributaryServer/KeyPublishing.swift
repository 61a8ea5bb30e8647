import Core
import Foundation
import Logging
import ServiceLifecycle
import StudyKeys

/// Signs the study's public keys each day if the root key is available, so that the signed set does not expire while
/// the study runs.
struct KeyPublishing: Service {
    let keys: KeyFolder
    let study: String
    let logger: Logger
    let clock: @Sendable () -> Date

    private static let interval = Duration.seconds(86_400)

    func run() async throws {
        while !_Concurrency.Task.isShuttingDownGracefully, !_Concurrency.Task.isCancelled {
            do {
                if try keys.rootKey() != nil { try keys.publish(study: study, now: clock()) }
            } catch {
                // Phones continue with the last signed set until it expires.
                logger.error("keys not signed", metadata: ["code": "\((error as? any CodedError)?.code ?? "failed")"])
            }
            await cancelWhenGracefulShutdown { try? await _Concurrency.Task.sleep(for: Self.interval) }
        }
    }
}
