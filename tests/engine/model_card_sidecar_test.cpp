// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/image/model_card.h"
#include "engine/image/preprocess.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Dims = std::vector<OnnxBuilder::Dim>;

// A model x -> y of the declared shapes, as model.onnx in a folder of its own.
class ModelCardOf : public ::testing::Test {
 protected:
  std::shared_ptr<const Model> model(const Dims& input, const Dims& output = {"batch", 4}) {
    builder.input("x", DType::kF32, input)
        .node("Identity", {"x"}, {"y"})
        .output("y", DType::kF32, output);
    auto graph = builder.load();
    EXPECT_TRUE(graph.ok()) << graph.status().message();
    return std::make_shared<const Model>(std::move(*graph), folder.path("model.onnx"));
  }

  void sidecar(const std::string& json) { write_file(folder.path("model.infer.json"), json); }

  ModelCard card_ok(const Model& of) {
    auto card = load_model_card(of);
    EXPECT_TRUE(card.ok()) << card.status().message();
    return card.ok() ? *card : ModelCard{};
  }

  // The sidecar is refused with its name and the key.
  void expect_refused(const Model& of, const std::string& json, const std::string& key) {
    sidecar(json);
    const auto card = load_model_card(of);
    ASSERT_FALSE(card.ok()) << json;
    EXPECT_EQ(card.status().code(), StatusCode::kInvalidModel);
    EXPECT_THAT(card.status().message(), HasSubstr(folder.path("model.infer.json")));
    EXPECT_THAT(card.status().message(), HasSubstr(key));
  }

  TemporaryFolder folder;
  OnnxBuilder builder;
};

const Dims kGray28 = {"batch", 1, 28, 28};
const Dims kSameGray28 = kGray28;

TEST_F(ModelCardOf, SidecarSaysEverything) {
  sidecar(R"({"format": 1, "accuracy": 0.9, "labels": ["a", "b", "c", "d"],
    "preprocess": {"preset": "mine", "channels": "gray", "width": 28, "height": 28,
      "resize": "bicubic", "scale": 0.5, "mean": [0.25], "std": [2], "layout": "NCHW",
      "formula": "whatever"},
    "golden": [{"image": "samples/x.png",
                "top5": [{"label": "b", "index": 1, "score": 0.75}]}]})");
  const auto loaded = model(kGray28, {"batch", 1, 2, 2});
  const ModelCard card = card_ok(*loaded);
  EXPECT_EQ(card.source, folder.path("model.infer.json"));
  EXPECT_THAT(card.labels, ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(card.preprocess.preset, "mine");
  EXPECT_EQ(card.preprocess.to_string(), "28x28 gray, bicubic resize, (x * 0.5 - 0.25) / 2");
  ASSERT_EQ(card.goldens.size(), 1u);
  EXPECT_EQ(card.goldens[0].image_path, folder.path("samples/x.png"));
  EXPECT_EQ(card.goldens[0].top5[0].label, "b");
  EXPECT_EQ(card.goldens[0].top5[0].index, 1);
  EXPECT_DOUBLE_EQ(card.goldens[0].top5[0].score, 0.75);
}

TEST_F(ModelCardOf, PresetNameAloneGivesTheNumbers) {
  const auto loaded = model(kGray28, kSameGray28);
  sidecar(R"({"format": 1, "preprocess": {"preset": "fashion-mnist"}})");
  EXPECT_EQ(card_ok(*loaded).preprocess.to_string(),
            "28x28 gray, bilinear resize, (x * 0.00392157 - 0.286) / 0.353");
  sidecar(R"({"format": 1, "preprocess": {"preset": "raw"}})");
  EXPECT_EQ(card_ok(*loaded).preprocess.to_string(), "28x28 gray, bilinear resize, x");
  sidecar(R"({"format": 1, "preprocess": {"preset": "mnist", "resize": "none"}})");
  EXPECT_EQ(card_ok(*loaded).preprocess.to_string(),
            "28x28 gray, no resize, (x * 0.00392157 - 0.1307) / 0.3081");
}

TEST_F(ModelCardOf, ImagenetPresetCutsTheCentre) {
  const auto loaded = model({"batch", 3, 224, 224}, {"batch", 3, 224, 224});
  sidecar(R"({"format": 1, "preprocess": {"preset": "imagenet"}})");
  EXPECT_EQ(card_ok(*loaded).preprocess.to_string(),
            "224x224 RGB, shorter side to 256 (bilinear), centre crop, "
            "(x * 0.00392157 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]");
}

TEST_F(ModelCardOf, MetadataIsUsedWithoutSidecar) {
  builder.metadata("tessera.labels", R"(["one", "two"])")
      .metadata("tessera.preprocess", R"({"scale": 1, "mean": 3})");
  const auto loaded = model({"batch", 3, 8, 6}, {"batch", "classes"});
  const ModelCard card = card_ok(*loaded);
  EXPECT_EQ(card.source, "model metadata");
  EXPECT_THAT(card.labels, ElementsAre("one", "two"));
  EXPECT_EQ(card.preprocess.to_string(), "6x8 RGB, bilinear resize, x - 3");

  sidecar(R"({"format": 1, "labels": ["three"]})");
  const ModelCard mixed = card_ok(*loaded);
  EXPECT_THAT(mixed.labels, ElementsAre("three"));
  EXPECT_EQ(mixed.preprocess.to_string(), card.preprocess.to_string());
}

TEST_F(ModelCardOf, BrokenMetadataIsNamed) {
  builder.metadata("tessera.preprocess", "{");
  const auto card = load_model_card(*model(kGray28, kSameGray28));
  ASSERT_FALSE(card.ok());
  EXPECT_THAT(card.status().message(), HasSubstr("tessera.preprocess"));
}

struct ShapeCase {
  Dims dims;
  const char* expected;
};

TEST(ModelCardShapes, TellHowPicturesAreFed) {
  const std::vector<ShapeCase> cases = {
      {{"n", 1, 28, 28}, "28x28 gray, bilinear resize, x * 0.00392157"},
      {{8, 3, 5, 7}, "7x5 RGB, bilinear resize, x * 0.00392157"},
      {{"n", 5, 7, 3}, "7x5 RGB, bilinear resize, x * 0.00392157, NHWC"},
      {{"n", 3, 7, 3}, "3x7 RGB, bilinear resize, x * 0.00392157"},
      {{"n", 3, "h", "w"}, "any size RGB, bilinear resize, x * 0.00392157"},
      {{"n", 784}, "28x28 gray, bilinear resize, x * 0.00392157"},
      {{"n", 3072}, "32x32 RGB, bilinear resize, x * 0.00392157"},
  };
  for (const ShapeCase& c : cases) {
    OnnxBuilder builder;
    builder.input("x", DType::kF32, c.dims).node("Identity", {"x"}, {"y"}).output("y");
    const Model model(*builder.load(), "");
    const auto card = load_model_card(model);
    ASSERT_TRUE(card.ok()) << card.status().message();
    EXPECT_EQ(card->preprocess.to_string(), c.expected);
    EXPECT_EQ(card->source, "input shape (no sidecar; pixels / 255)");
  }
}

TEST(ModelCardShapes, ThatAreNoPicturesAreRefusedByName) {
  for (const Dims& dims : {Dims{"n", 7}, Dims{"n", 5, 28, 28}, Dims{"n", 3, 28}, Dims{"n", "k"}}) {
    OnnxBuilder builder;
    builder.input("pixels", DType::kF32, dims).node("Identity", {"pixels"}, {"y"}).output("y");
    const Model model(*builder.load(), "m.onnx");
    const auto card = load_model_card(model);
    ASSERT_FALSE(card.ok());
    EXPECT_EQ(card.status().code(), StatusCode::kUnsupported);
    EXPECT_THAT(card.status().message(), HasSubstr("'pixels' (?, "));
  }
}

TEST_F(ModelCardOf, SidecarDescribesAnInputThatDoesNotSpeakForItself) {
  const auto loaded = model({"batch", 6}, {"batch", 6});
  sidecar(R"({"format": 1, "preprocess": {"channels": "gray", "width": 3, "height": 2}})");
  EXPECT_EQ(card_ok(*loaded).preprocess.to_string(), "3x2 gray, bilinear resize, x * 0.00392157");
  expect_refused(*loaded, R"({"format": 1, "preprocess": {"channels": "gray"}})",
                 "width and height");
}

TEST_F(ModelCardOf, WrongKeysAreNamed) {
  const auto loaded = model(kGray28, kSameGray28);
  const auto expect_preprocess = [&](const std::string& keys, const std::string& key) {
    expect_refused(*loaded, R"({"format": 1, "preprocess": {)" + keys + "}}", key);
  };
  expect_refused(*loaded, "{", "not valid JSON");
  expect_refused(*loaded, "[]", "format");
  expect_refused(*loaded, R"({"format": 2})", "format");
  expect_refused(*loaded, R"({"format": 1, "preprocess": 3})", "preprocess must be an object");
  expect_refused(*loaded, R"({"format": 1, "labels": "abc"})", "labels");
  expect_refused(*loaded, R"({"format": 1, "labels": ["a", 1]})", "labels");
  expect_refused(*loaded, R"({"format": 1, "golden": {}})", "golden");
  expect_refused(*loaded, R"({"format": 1, "golden": [{"image": "x.png"}]})", "golden[0]");
  expect_refused(*loaded, R"({"format": 1, "golden": [{"image": "x", "top5": [{"index": 1}]}]})",
                 "golden[0].top5[0]");
  expect_preprocess(R"("preset": "unheard-of")", "preprocess.preset");
  expect_preprocess(R"("preset": 3)", "preprocess.preset");
  expect_preprocess(R"("channels": "rgba")", "preprocess.channels");
  expect_preprocess(R"("resize": "lanczos")", "preprocess.resize");
  expect_preprocess(R"("layout": "CHWN")", "preprocess.layout");
  expect_preprocess(R"("width": 0)", "preprocess.width");
  expect_preprocess(R"("width": 28.5)", "preprocess.width");
  expect_preprocess(R"("width": 99999999999)", "preprocess.width");
  expect_preprocess(R"("scale": "1/255")", "preprocess.scale");
  expect_preprocess(R"("scale": 1e99)", "preprocess.scale");
  expect_preprocess(R"("mean": [1, 2])", "preprocess.mean");
  expect_preprocess(R"("mean": [])", "preprocess.mean");
  expect_preprocess(R"("std": ["a"])", "preprocess.std");
  expect_preprocess(R"("std": [0])", "preprocess.std");
  expect_preprocess(R"("resize": "shortest")", "preprocess.resize_size");
  expect_preprocess(R"("resize": "shortest", "resize_size": 27)", "preprocess.resize_size");
}

TEST_F(ModelCardOf, WhatContradictsTheModelIsNamed) {
  const auto loaded = model(kGray28, {"batch", 1, 28, 28});
  expect_refused(*loaded, R"({"format": 1, "preprocess": {"width": 32}})",
                 "preprocess.width means 32");
  expect_refused(*loaded, R"({"format": 1, "preprocess": {"channels": "rgb"}})",
                 "preprocess.channels means 3");
  expect_refused(*loaded, R"({"format": 1, "labels": ["a", "b"]})", "784 classes");
}

TEST(Labels, OneALine) {
  const TemporaryFolder folder;
  const std::string path = folder.path("labels.txt");
  write_file(path,
             "\xef\xbb\xbf"
             "cat\r\nbig dog \n\n");
  EXPECT_THAT(*load_labels(path), ElementsAre("cat", "big dog"));
  write_file(path, "cat\n\ndog\n");
  EXPECT_THAT(load_labels(path).status().message(), HasSubstr("line 2"));
  write_file(path, "\n");
  EXPECT_EQ(load_labels(path).status().code(), StatusCode::kInvalidArgument);
  write_file(path, "cat\ncaf\xe9\n");
  EXPECT_THAT(load_labels(path).status().message(), HasSubstr("line 2: 'caf\\xe9' is not UTF-8"));
  EXPECT_EQ(load_labels(folder.path("none")).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace tessera
