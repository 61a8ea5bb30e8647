import FHIR

extension Electrocardiogram {
    /// Returns the observation.
    ///
    /// The voltages are one SampledData. A recording of 30 seconds has about 15 000 voltages in about 140 kB. If it
    /// were split, each part would need an offset, for which R4 has no element.
    public func observation(subject: String?, device: JSON? = nil, extensions: [JSON] = []) -> Observation {
        var parts = ObservationParts()
        parts.add(
            Self.code("NumberOfVoltageMeasurements", "Number of Voltage Measurements"), type: "Integer",
            value: .number(JSONNumber(voltages.series.count)))
        parts.add(
            Self.code("SamplingFrequency", "Sampling Frequency"),
            SpecialQuantity(samplingFrequency, SpecialMeasure.frequency.unit))
        let code = Self.code("Classification", "Electrocardiogram Classification")
        parts.add(code, classification?.option)
        if hasUnknownClassification {
            parts.addUnknown(code, "The text of the classification is not recognised.")
        }
        parts.add(
            ComponentCode.heartRate, averageHeartRate.map { SpecialQuantity($0, SpecialMeasure.beats.unit) })
        parts.add(Self.code("SymptomsStatus", "Electrocardiogram Symptoms Status"), symptoms?.option)
        parts.add(
            Self.voltageCode, type: "SampledData",
            value: voltages.series.sampledData(
                HealthUnit("uV", "uV"), period: period,
                factor: voltages.microvoltFactor == 1 ? nil : voltages.microvoltFactor))
        return observation(subject: subject, device: device, extensions: extensions, parts)
    }

    public func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON {
        observation(subject: subject, device: device, extensions: extensions).json
    }

    private static func code(_ name: String, _ title: String) -> JSON {
        ComponentCode.healthKit("HKElectrocardiogram." + name, title)
    }

    private static let voltageCode = CodeableConcept(
        coding: [Coding(system: DeviceNomenclature.system, code: "131329", display: "MDC_ECG_ELEC_POTL_I")],
        text: "Voltage, lead I"
    ).json
}
