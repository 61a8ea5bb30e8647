import CDescriptorReserve
import Foundation
import Testing

@testable import ServerHTTP

@Suite struct DescriptorsTests {
    @Test func connectionsStayBelowTheDescriptors() {
        var limits = HTTPLimits()
        limits.connections = 500
        #expect(limits.connections(descriptorLimit: 65_536) == 500)
        #expect(limits.connections(descriptorLimit: 256) == 192)
        #expect(limits.connections(descriptorLimit: 10) == 4)
    }

    @Test func openDescriptorsAreCounted() throws {
        let count = Descriptors.open
        #expect(count > 2)
        #expect(Descriptors.limit >= count)
    }

    // Each of these uses up the descriptors of a separate process.

    @Test func runtimeUsesAReservedDescriptorWhenNoneIsLeft() async {
        await #expect(processExitsWith: .success) {
            guard Descriptors.prepare(maximum: 256, heldBack: 8) > 0, descriptor_reserve_held() == 8 else { exit(2) }
            var eaten: [Int32] = []
            while true {
                let descriptor = Glibc.open("/dev/null", O_RDONLY)
                guard descriptor >= 0 else { break }
                eaten.append(descriptor)
                guard eaten.count < 1_000_000 else { exit(3) }
            }
            // No other caller gets one of them.
            guard errno == EMFILE, descriptor_reserve_held() == 8 else { exit(4) }
            for _ in 0..<8 {
                let descriptor = Glibc.open("/proc/self/stat", O_RDONLY)
                guard descriptor >= 0 else { exit(5) }
                eaten.append(descriptor)
            }
            guard descriptor_reserve_used() == 8, Descriptors.reserveUsed == 8 else { exit(6) }
            guard Glibc.open("/proc/self/stat", O_RDONLY) == -1, errno == EMFILE else { exit(7) }
            // The released reserve is reopened once descriptors are free again.
            for descriptor in eaten { close(descriptor) }
            let descriptor = Glibc.open("/dev/null", O_RDONLY)
            guard descriptor >= 0, descriptor_reserve_held() == 8 else { exit(8) }
            exit(0)
        }
    }

    @Test func theSoftLimitIsRaisedToTheHardOne() async {
        await #expect(processExitsWith: .success) {
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit(rlim_cur: 100, rlim_max: 300)
            guard setrlimit(resource, &limit) == 0 else { exit(2) }
            guard Descriptors.prepare(maximum: 200, heldBack: 0) == 200 else { exit(3) }
            guard Descriptors.prepare(heldBack: 0) == 300, Descriptors.limit == 300 else { exit(4) }
            guard Descriptors.prepare(maximum: 50, heldBack: 0) == 300 else { exit(5) }
            guard descriptor_reserve_held() == 0 else { exit(6) }
            exit(0)
        }
    }

    @Test func filesAreOpenedAsWithoutAReserve() async {
        await #expect(processExitsWith: .success) {
            Descriptors.prepare()
            let path = NSTemporaryDirectory() + "/reserve-\(UUID().uuidString)"
            let descriptor = Glibc.open(path, O_CREAT | O_WRONLY | O_EXCL, 0o600)
            guard descriptor >= 0, write(descriptor, "abc", 3) == 3, close(descriptor) == 0 else { exit(2) }
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & 0o777 == 0o600, status.st_size == 3 else { exit(3) }
            guard Glibc.open(path + "/nothing", O_RDONLY) == -1, errno == ENOTDIR else { exit(4) }
            guard unlink(path) == 0 else { exit(5) }
            exit(0)
        }
    }
}
