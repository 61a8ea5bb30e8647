/// The nomenclature of IEEE 11073-10101, which has the codes of ECG leads.
package enum DeviceNomenclature {
    package static let system = "urn:oid:2.16.840.1.113883.6.24"
}
