import Foundation
import Records
import Storage

extension GatewayRecorder {
    /// Has the events worked on that waited for something that is there now: a registration, a consent.
    ///
    /// - Parameter last: the device behind which it goes on; empty for the first.
    /// - Returns: the device that the next call goes on behind; nil where all were looked at.
    public func release(behind last: String) async throws -> String? {
        let writing = await admission.begin(at: clock())
        let limit = 200
        let (devices, free) = try await database.read { transaction in
            let devices = try GatewayEvents.waitingDevices(behind: last, limit: limit, in: transaction)
            let free = try devices.filter { device in
                switch try DeviceRegistration.owner(of: device, in: transaction) {
                case .unknown: return false
                case .ended: return true
                case .participant(let participant, _):
                    if case .held = try writing.standing(of: participant, in: transaction) { return false }
                    return true
                }
            }
            return (devices, free)
        }
        if !free.isEmpty {
            try await database.write { transaction in
                for device in free { try GatewayEvents(transaction: transaction).release(device: device) }
            }
        }
        return devices.count == limit ? devices.last : nil
    }

    /// How long it is until the next event is to be worked on that was put off; nil where none was.
    func untilNextDue() async throws -> Duration? {
        let now = Self.milliseconds(clock())
        let due = try await database.read { try GatewayEvents(transaction: $0).nextDue(after: now) }
        return due.map { .milliseconds($0 - now) }
    }
}
