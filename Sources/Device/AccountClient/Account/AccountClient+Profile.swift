import Core
import DeviceSystem
import Foundation
import HTTPTransport
import ResearchResults

extension AccountClient {
    /// Reads the profile, and stores a copy (CMHealth: `userData`).
    @discardableResult
    public func profile() async throws -> StoredProfile {
        let session = try await currentSession()
        let response = try await send(AccountRequest("GET", path: "me/profile", kind: .account))
        guard let tag = response.tag else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        let profile = StoredProfile(profile: try readProfile(response), tag: tag)
        try await record(profile, of: session.account)
        return profile
    }

    /// The profile as it was last read or saved on this phone; nil if it was not. It needs no network.
    public func storedProfile() throws -> StoredProfile? {
        guard let account = session?.account else { return nil }
        return try store.profile(of: account)
    }

    /// Saves a profile, if the server's version is still the one that was read (CMHealth: `updateUserData:`).
    ///
    /// ```swift
    /// var stored = try await client.profile()
    /// stored.profile.givenName = "Ann"
    /// stored = try await client.save(stored)
    /// ```
    /// - Returns: the profile with the tag of its new version.
    /// - Throws: as ``AccountClient`` describes; `profile-stale` if another phone has saved the profile meanwhile. Then
    ///   nothing is changed.
    @discardableResult
    public func save(_ stored: StoredProfile) async throws -> StoredProfile {
        let profile = try AccountProfile(json: stored.profile.json)
        guard stored.tag.utf8.count <= Self.maximumTagBytes, stored.tag.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw AccountClientError(.profilePrecondition) }
        let session = try await currentSession()
        var request = AccountRequest("PUT", path: "me/profile", json: profile.json, kind: .account)
        request.headers["If-Match"] = stored.tag
        let response = try await send(request)
        guard let tag = response.tag else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        let saved = StoredProfile(profile: profile, tag: tag)
        try await record(saved, of: session.account)
        return saved
    }

    /// Reads the profile, changes it and saves it. If another phone saves a version in between, the change is applied to
    /// that version, up to three times.
    ///
    /// ```swift
    /// try await client.updateProfile { $0["favourite"] = "blue" }
    /// ```
    /// - Throws: as ``save(_:)-(StoredProfile)``; the errors of the change.
    @discardableResult
    public func updateProfile(
        _ change: @Sendable (inout AccountProfile) throws -> Void
    ) async throws -> StoredProfile {
        var attempts = 1
        while true {
            var stored = try await profile()
            try change(&stored.profile)
            do {
                return try await save(stored)
            } catch let error as AccountClientError where error.reason == .profileStale && attempts < 3 {
                attempts += 1
            }
        }
    }

    /// Maximum bytes of the tag of a version.
    static var maximumTagBytes: Int { 256 }

    /// Reads the profile of an answer.
    nonisolated func readProfile(_ response: TransportResponse) throws(AccountClientError) -> AccountProfile {
        guard let profile = try? AccountProfile(json: try json(response)) else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        return profile
    }

    /// Stores a copy of the profile, unless another account has signed in.
    private func record(_ profile: StoredProfile, of account: String) async throws {
        let isCurrent = try await store.locked { store in
            guard try store.holder()?.holder.account == account else { return false }
            if try store.profile(of: account) != profile { try store.write(profile, of: account) }
            return true
        }
        guard isCurrent, session?.account == account, let holder = state.holder else { return }
        become(.signedIn(holder, profile: profile.profile))
    }
}

extension TransportResponse {
    /// The entity tag; nil if there is none that can be sent back.
    fileprivate var tag: String? {
        guard let tag = headers["etag"], (1...AccountClient.maximumTagBytes).contains(tag.utf8.count),
            tag.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return tag
    }
}

extension AccountFolder {
    /// Returns the copy of the profile; nil if there is none.
    func profile(of account: String) throws(DeviceStorageError) -> StoredProfile? {
        guard let json = try content(.profile, of: account), let tag = json["tag"]?.string,
            let profile = json["profile"].flatMap({ try? AccountProfile(json: $0) })
        else { return nil }
        return StoredProfile(profile: profile, tag: tag)
    }

    /// Writes the copy of the profile.
    func write(_ profile: StoredProfile, of account: String) throws(DeviceStorageError) {
        try write(["tag": .string(profile.tag), "profile": profile.profile.json], as: .profile, of: account)
    }
}
