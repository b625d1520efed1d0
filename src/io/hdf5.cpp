// ann-benchmarks HDF5: two-dimensional datasets named train, test and neighbors.
#include "io/source.h"
#include "summand/error.h"

#ifdef SUMMAND_HAS_HDF5

#include <hdf5.h>

#include <array>
#include <mutex>
#include <utility>

#include "base/byte_count.h"

namespace summand {

namespace {

/// One caller at a time, since Debian's HDF5 is not thread-safe, and nothing printed to stderr meanwhile.
class Hdf5Turn {
public:
    Hdf5Turn() : lock_(mutex()) {
        H5Eget_auto2(H5E_DEFAULT, &report_, &data_);
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    ~Hdf5Turn() { H5Eset_auto2(H5E_DEFAULT, report_, data_); }
    Hdf5Turn(const Hdf5Turn&) = delete;
    Hdf5Turn& operator=(const Hdf5Turn&) = delete;

private:
    static std::mutex& mutex() {
        static std::mutex one;
        return one;
    }
    std::lock_guard<std::mutex> lock_;
    H5E_auto2_t report_ = nullptr;
    void* data_ = nullptr;
};

/// Owns an HDF5 id of any kind; below zero means that the call failed.
class Handle {
public:
    explicit Handle(hid_t id = H5I_INVALID_HID) : id_(id) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    ~Handle() {
        if (id_ >= 0) H5Idec_ref(id_);
    }
    operator hid_t() const { return id_; }
    bool ok() const { return id_ >= 0; }

private:
    hid_t id_;
};

/// Any stored number, as one of ours: HDF5 converts as it reads.
Stored element_type(hid_t dataset, const std::string& path) {
    const Handle type(H5Dget_type(dataset));
    const std::size_t size = H5Tget_size(type);
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_FLOAT) return size == 8 ? Stored::float64 : Stored::float32;
    const bool is_signed = kind == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
    require(kind == H5T_INTEGER && (size < 8 || is_signed), path, ": the elements are not float or integer numbers");
    if (size == 1) return is_signed ? Stored::int8 : Stored::uint8;
    return size < 4 || (size == 4 && is_signed) ? Stored::int32 : Stored::int64;
}

hid_t memory_type(Stored type) {
    switch (type) {
        case Stored::float64:
            return H5T_NATIVE_DOUBLE;
        case Stored::uint8:
            return H5T_NATIVE_UINT8;
        case Stored::int8:
            return H5T_NATIVE_INT8;
        case Stored::int32:
            return H5T_NATIVE_INT32;
        case Stored::int64:
            return H5T_NATIVE_INT64;
        default:
            return H5T_NATIVE_FLOAT;
    }
}

herr_t append_name(hid_t, const char* name, const H5L_info_t*, void* names) {
    static_cast<std::string*>(names)->append(" ").append(name);
    return 0;
}

Shape dataset_shape(hid_t dataset, const std::string& path) {
    const Handle space(H5Dget_space(dataset));
    const int dimensions = H5Sget_simple_extent_ndims(space);
    require(dimensions == 2, path, ": has ", dimensions, " dimensions, expected 2");
    std::array<hsize_t, 2> sizes{};
    H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    const Shape shape{sizes[0], sizes[1], element_type(dataset, path)};
    check_shape(path, shape);
    return shape;
}

/// What lies in other files is refused: a file from elsewhere could name any file of this machine.
void check_own_storage(hid_t dataset, const std::string& path) {
    const Handle properties(H5Dget_create_plist(dataset));
    require(H5Pget_layout(properties) != H5D_VIRTUAL && H5Pget_external_count(properties) <= 0, path,
            ": is stored in other files, which are not read; expected a dataset within the file (h5repack makes one)");
}

/// Where a link leads into another file: notes that, and does not follow.
herr_t refuse_external_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void* met) {
    *static_cast<bool*>(met) = true;
    return -1;
}

Handle open_dataset(hid_t file, const std::string& dataset, const std::string& path) {
    bool external = false;
    const Handle access(H5Pcreate(H5P_DATASET_ACCESS));
    H5Pset_elink_cb(access, refuse_external_link, &external);
    Handle data(H5Dopen2(file, dataset.c_str(), access));
    require(!external, path, ":", dataset, ": is a link into another file, which is not followed");
    return data;
}

/// All that the shape claims is stored: HDF5 reads what was never written as zeros, however large.
void check_storage(hid_t dataset, const Shape& shape, const std::string& path) {
    const Handle properties(H5Dget_create_plist(dataset));
    const Handle type(H5Dget_type(dataset));
    const std::uint64_t stored = H5Dget_storage_size(dataset);
    std::uint64_t expected = shape.rows * shape.columns * H5Tget_size(type);
    if (H5Pget_layout(properties) == H5D_CHUNKED) {
        std::array<hsize_t, 2> chunk{1, 1};
        H5Pget_chunk(properties, 2, chunk.data());
        const std::uint64_t chunks = ((shape.rows - 1) / chunk[0] + 1) * ((shape.columns - 1) / chunk[1] + 1);
        hsize_t present = 0;
        const Handle space(H5Dget_space(dataset));
        H5Dget_num_chunks(dataset, space, &present);
        require(present == chunks, path, ": the header says ", shape.rows, " vectors of ", shape.columns,
                " dimensions in ", chunks, " chunks, the file has ", present);
        if (H5Pget_nfilters(properties) > 0) expected = 0;
    }
    require(stored >= expected, path, ": the header says ", shape.rows, " vectors of ", shape.columns,
            " dimensions, which take ", expected, " bytes; the file has ", stored);
}

class Hdf5 final : public VectorReader::Source {
public:
    Hdf5(Handle file, Handle dataset, const Shape& shape, std::string path)
        : Source(shape), file_(std::move(file)), dataset_(std::move(dataset)), path_(std::move(path)) {}

    ~Hdf5() override {
        const Hdf5Turn turn;
        dataset_ = Handle();
        file_ = Handle();
    }

    void read(std::size_t first, std::size_t count, std::byte* out) const override {
        const Hdf5Turn turn;
        const std::array<hsize_t, 2> begin{first, 0};
        const std::array<hsize_t, 2> extent{count, shape().columns};
        const Handle in_file(H5Dget_space(dataset_));
        const Handle in_memory(H5Screate_simple(2, extent.data(), nullptr));
        H5Sselect_hyperslab(in_file, H5S_SELECT_SET, begin.data(), nullptr, extent.data(), nullptr);
        const herr_t result = H5Dread(dataset_, memory_type(shape().type), in_memory, in_file, H5P_DEFAULT, out);
        require(result >= 0, path_, ": HDF5 cannot read rows ", first, " to ", first + count - 1,
                ": the file is damaged or compressed with a filter that is not installed");
    }

private:
    Handle file_;
    Handle dataset_;
    std::string path_;
};

}  // namespace

SourcePointer open_hdf5(const std::string& path, const std::string& dataset) {
    {
        const InputFile file(path);  // for its messages about missing, unreadable and empty files
        require(file.size() > 0, path, ": the file is empty");
    }
    const Hdf5Turn turn;
    require(H5Fis_hdf5(path.c_str()) > 0, path, ": does not begin as an HDF5 file does");
    Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    require(file.ok(), path, ": HDF5 cannot open it: truncated or damaged");
    Handle data = open_dataset(file, dataset, path);
    if (!data.ok()) {
        std::string names;
        H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, append_name, &names);
        throw Error(concatenate(path, ": has no dataset ", dataset, ", expected one of:", names));
    }
    const std::string full_name = path + ":" + dataset;
    check_own_storage(data, full_name);
    const Shape shape = dataset_shape(data, full_name);
    check_storage(data, shape, full_name);
    return std::make_unique<Hdf5>(std::move(file), std::move(data), shape, full_name);
}

}  // namespace summand

#else

namespace summand {

SourcePointer open_hdf5(const std::string& path, const std::string&) {
    throw Error(path + ": this build has no HDF5; install libhdf5-dev and build again, or convert to .fvecs or .npy");
}

}  // namespace summand

#endif
