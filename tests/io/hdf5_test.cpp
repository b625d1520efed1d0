#include "io/support.h"

#ifdef SUMMAND_HAS_HDF5

#include <hdf5.h>

#include <array>

namespace summand::test {

namespace {

struct Dataset {
    const char* name;
    hid_t type;
    std::vector<hsize_t> shape;
    const void* values = nullptr;     ///< none: nothing is written
    std::vector<hsize_t> chunk = {};  ///< none: contiguous
};

void write_hdf5(const std::string& path, const std::vector<Dataset>& datasets) {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (const Dataset& d : datasets) {
        const hid_t space = H5Screate_simple(static_cast<int>(d.shape.size()), d.shape.data(), nullptr);
        const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        if (!d.chunk.empty()) {
            H5Pset_chunk(properties, static_cast<int>(d.chunk.size()), d.chunk.data());
            H5Pset_deflate(properties, 6);
        }
        const hid_t data = H5Dcreate2(file, d.name, d.type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
        if (d.values != nullptr) H5Dwrite(data, d.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, d.values);
        H5Dclose(data);
        H5Pclose(properties);
        H5Sclose(space);
    }
    H5Fclose(file);
}

}  // namespace

TEST(Hdf5, ReadsTrainUnlessAnotherDatasetIsNamed) {
    const TemporaryDirectory directory;
    const std::string path = directory / "a.hdf5";
    const Matrix<float> train = random_matrix(30, 5, 1);
    const Matrix<float> test = random_matrix(4, 5, 2);
    write_hdf5(path, {{"train", H5T_NATIVE_FLOAT, {30, 5}, train.data(), {7, 5}},
                      {"test", H5T_NATIVE_FLOAT, {4, 5}, test.data()}});
    EXPECT_EQ(read_vectors(path), train);
    EXPECT_EQ(read_vectors(path + ":test"), test);
    const VectorReader reader(path);
    EXPECT_EQ(reader.read(13, 2).values(), std::vector<float>(train.row(13), train.row(15)));
}

TEST(Hdf5, ReadsNeighborsAsIds) {
    const TemporaryDirectory directory;
    const std::string path = directory / "a.h5";
    const std::vector<int> neighbors{3, 1, 0, 2};
    write_hdf5(path, {{"neighbors", H5T_NATIVE_INT, {2, 2}, neighbors.data()}});
    EXPECT_EQ(read_ids(path), Matrix<std::int64_t>(2, 2, {3, 1, 0, 2}));
    EXPECT_EQ(read_ids(path + ":neighbors"), Matrix<std::int64_t>(2, 2, {3, 1, 0, 2}));
}

TEST(Hdf5, ListsTheDatasetsThatThereAre) {
    const TemporaryDirectory directory;
    const std::string path = directory / "a.hdf5";
    const float value = 1;
    write_hdf5(path, {{"base", H5T_NATIVE_FLOAT, {1, 1}, &value}, {"test", H5T_NATIVE_FLOAT, {1, 1}, &value}});
    expect_error([&] { VectorReader reader(path); }, {"a.hdf5: has no dataset train, expected one of: base test"});
    expect_error([&] { VectorReader reader(path + ":"); }, {"expected the name of an array after the colon"});
}

TEST(Hdf5, RefusesOtherShapesAndTypes) {
    const TemporaryDirectory directory;
    const std::string path = directory / "a.hdf5";
    const float values[4] = {};
    write_hdf5(path, {{"train", H5T_NATIVE_FLOAT, {4}, values}});
    expect_error([&] { VectorReader reader(path); }, {"a.hdf5:train: has 1 dimensions, expected 2"});
    write_hdf5(path, {{"train", H5T_C_S1, {1, 1}}});
    expect_error([&] { VectorReader reader(path); }, {"the elements are not float or integer numbers"});
    write_hdf5(path, {{"train", H5T_NATIVE_FLOAT, {0, 4}}});
    expect_error([&] { VectorReader reader(path); }, {"holds zero vectors"});
}

TEST(Hdf5, RefusesAShapeWhoseDataWasNeverWritten) {
    const TemporaryDirectory directory;
    const std::string path = directory / "a.hdf5";
    write_hdf5(path, {{"train", H5T_NATIVE_FLOAT, {1u << 30, 1000}, nullptr, {1000, 1000}}});
    expect_error([&] { VectorReader reader(path); },
                 {"the header says 1073741824 vectors of 1000 dimensions in", "the file has 0"});
    write_hdf5(path, {{"train", H5T_NATIVE_FLOAT, {1u << 30, 1000}}});
    expect_error([&] { VectorReader reader(path); }, {"which take 4294967296000 bytes; the file has 0"});
}

// A file could otherwise have any file of the machine read.
TEST(Hdf5, RefusesWhatLiesInOtherFiles) {
    const TemporaryDirectory directory;
    const std::string path = directory / "a.hdf5", secret = directory / "secret";
    const Matrix<float> values = random_matrix(4, 4, 1);
    write_raw(secret, std::string(64, 'x'));
    const std::array<hsize_t, 2> shape{4, 4};
    const hid_t space = H5Screate_simple(2, shape.data(), nullptr);
    const auto write = [&](const auto& add) {
        const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        add(file, properties);
        H5Pclose(properties);
        H5Fclose(file);
    };
    const auto make = [&](hid_t file, hid_t properties) {
        H5Dclose(H5Dcreate2(file, "train", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    };
    write([&](hid_t file, hid_t properties) {
        H5Pset_external(properties, secret.c_str(), 0, 64);
        make(file, properties);
    });
    expect_error([&] { VectorReader reader(path); }, {"a.hdf5:train: is stored in other files, which are not read"});
    write_hdf5(directory / "other.hdf5", {{"train", H5T_NATIVE_FLOAT, {4, 4}, values.data()}});
    write([&](hid_t file, hid_t properties) {
        H5Pset_virtual(properties, space, (directory / "other.hdf5").c_str(), "train", space);
        make(file, properties);
    });
    expect_error([&] { VectorReader reader(path); }, {"a.hdf5:train: is stored in other files, which are not read"});
    write([&](hid_t file, hid_t) {
        H5Lcreate_external((directory / "other.hdf5").c_str(), "/train", file, "train", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external((directory / "other.hdf5").c_str(), "/", file, "group", H5P_DEFAULT, H5P_DEFAULT);
    });
    expect_error([&] { VectorReader reader(path); }, {"a.hdf5:train: is a link into another file, which is not"});
    expect_error([&] { VectorReader reader(path + ":group/train"); },
                 {"a.hdf5:group/train: is a link into another file, which is not followed"});
    H5Sclose(space);
}

TEST(Hdf5, RefusesFilesThatAreNotHdf5OrCutShort) {
    const TemporaryDirectory directory;
    const std::string path = directory / "a.hdf5";
    write_raw(path, "");
    expect_error([&] { VectorReader reader(path); }, {"a.hdf5: the file is empty"});
    write_raw(path, "something else");
    expect_error([&] { VectorReader reader(path); }, {"does not begin as an HDF5 file does"});
    expect_error([&] { VectorReader(directory / "none.hdf5"); }, {"No such file"});
    const Matrix<float> train = random_matrix(100, 5, 1);
    write_hdf5(path, {{"train", H5T_NATIVE_FLOAT, {100, 5}, train.data()}});
    std::filesystem::resize_file(path, 1000);
    ::testing::internal::CaptureStderr();
    expect_error([&] { VectorReader reader(path); }, {"HDF5 cannot open it: truncated or damaged"});
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace summand::test

#else

TEST(Hdf5, ABuildWithoutItSaysSo) {
    summand::test::expect_error([] { summand::VectorReader("a.hdf5"); }, {"a.hdf5: this build has no HDF5"});
}

#endif
