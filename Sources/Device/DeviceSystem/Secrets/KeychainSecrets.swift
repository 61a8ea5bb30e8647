#if canImport(Security)
    import Foundation
    import Security

    /// ``SecretStore`` in the system's Keychain: a generic password for each secret.
    ///
    /// It is readable from the first unlock after a restart, because uploads continue while the phone is locked. It
    /// stays on this device, in no backup and no iCloud Keychain. It outlives the app's folder: an app that is
    /// installed again finds it, unless it uses another service.
    public struct KeychainSecrets: SecretStore {
        private let service: String

        /// Creates a store under a service's name, such as one for each study.
        public init(service: String) { self.service = service }

        public func secret(named name: String) throws(DeviceStorageError) -> Data? {
            var query = attributes(of: name)
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(dictionary(query), &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let secret = found as? Data else {
                throw failure("read", of: name, status: status)
            }
            return secret
        }

        public func save(_ secret: Data, named name: String) throws(DeviceStorageError) {
            let content: [String: Any] = [
                kSecValueData as String: secret,
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            let changed = SecItemUpdate(dictionary(attributes(of: name)), dictionary(content))
            if changed == errSecSuccess { return }
            guard changed == errSecItemNotFound else { throw failure("written", of: name, status: changed) }
            let added = SecItemAdd(
                dictionary(attributes(of: name).merging(content) { own, _ in own }), nil)
            guard added == errSecSuccess else { throw failure("written", of: name, status: added) }
        }

        public func removeSecret(named name: String) throws(DeviceStorageError) {
            let status = SecItemDelete(dictionary(attributes(of: name)))
            guard status == errSecSuccess || status == errSecItemNotFound else {
                throw failure("removed", of: name, status: status)
            }
        }

        /// Returns the attributes that identify the secret.
        private func attributes(of name: String) -> [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: name,
            ]
        }

        private func dictionary(_ members: [String: Any]) -> CFDictionary {
            NSDictionary(dictionary: members) as CFDictionary
        }

        private func failure(_ verb: String, of name: String, status: OSStatus) -> DeviceStorageError {
            DeviceStorageError(
                .storageFailed,
                "The secret \(name) cannot be \(verb) (Keychain \(status)): unlock the device once after its start.")
        }
    }
#endif
