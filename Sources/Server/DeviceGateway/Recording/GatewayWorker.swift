import Core
import Foundation
import Storage

/// Works on what hubs take, for as long as a study is served.
public struct GatewayWorker: Sendable {
    let recorder: GatewayRecorder
    /// Rung when events have come.
    public let bell: ArrivalBell

    public init(recorder: GatewayRecorder, bell: ArrivalBell = ArrivalBell()) {
        self.recorder = recorder
        self.bell = bell
    }

    /// As often it is looked whether something is due, or what waits need not wait any more; also on another host.
    private static let look = Duration.milliseconds(500)
    /// What was put off to one time and another shortly after is worked on together.
    private static let gathering = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(30)

    /// Works until it is cancelled.
    ///
    /// - Parameter onFailure: told the code of what stopped a step; it is tried again, later and later.
    public func work(onFailure: @Sendable (String) -> Void) async {
        var last = ""
        var pause = Self.look
        while !Task.isCancelled {
            var wait: Duration?
            do {
                try await recorder.work()
                last = try await recorder.release(behind: last) ?? ""
                pause = Self.look
                wait = try await recorder.untilNextDue()
            } catch is CancellationError {
                return
            } catch {
                onFailure((error as? any CodedError)?.code ?? "failed")
                pause = min(pause * 2, Self.longestPause)
            }
            _ = await bell.wait(atMost: wait.map { min(max($0, Self.gathering), pause) } ?? pause)
        }
    }
}
